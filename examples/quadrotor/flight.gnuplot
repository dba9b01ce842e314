# The flight with and without the region: height, tilt, and the thrust that the rows leave.
# gnuplot -c flight.gnuplot OUT FILE svg|png
out = ARG1
if (ARG3 eq "svg") { set terminal svg size 1000,760 font "sans,13" background "white" } else { set terminal pngcairo size 1000,760 font "sans,11" }
set output ARG2
set datafile separator ","
set multiplot layout 3,1 margins 0.08,0.98,0.07,0.95 spacing 0.02,0.06
set key top right horizontal samplen 2
set xrange [0:32]
set grid ytics linecolor rgb "#e4e7eb"
set tics nomirror
set border 3
set ylabel "height (m)"
set yrange [0:7]
set object 1 rectangle from graph 0, first 5 to graph 1, graph 1 fillcolor rgb "#f3d9d9" fillstyle solid noborder behind
set object 2 rectangle from graph 0, graph 0 to graph 1, first 1 fillcolor rgb "#f3d9d9" fillstyle solid noborder behind
plot out."/bare.csv" every 10::1 using 1:3 with lines linewidth 1.5 linecolor rgb "#d1495b" title "the policy alone", \
     out."/kept.csv" every 10::1 using 1:3 with lines linewidth 2 linecolor rgb "#00798c" title "within the region"
set ylabel "tilt (rad)"
set yrange [-1:1]
set object 1 rectangle from graph 0, first 0.4 to graph 1, graph 1
set object 2 rectangle from graph 0, graph 0 to graph 1, first -0.4
plot out."/bare.csv" every 10::1 using 1:4 with lines linewidth 1.5 linecolor rgb "#d1495b" notitle, \
     out."/kept.csv" every 10::1 using 1:4 with lines linewidth 2 linecolor rgb "#00798c" notitle
unset object 1
unset object 2
set ylabel "vertical thrust (N)"
set xlabel "time (s)"
set yrange [0:28]
plot out."/kept.csv" every 10::1 using 1:($6-6):($6+6) with filledcurves fillcolor rgb "#dbe9ec" title "what floor and ceiling leave", \
     out."/kept.csv" every 10::1 using 1:($5*($8+$9)) with lines linewidth 1.5 linecolor rgb "#00798c" title "within the region"
unset multiplot
