# The floor, what the dock sees of it, and where the two models send the robot.
# gnuplot -c floor.gnuplot OUT FILE svg|png
out = ARG1
if (ARG3 eq "svg") { set terminal svg size 1100,560 font "sans,14" background "white" } else { set terminal pngcairo size 1100,560 font "sans,12" }
set output ARG2
set datafile separator ","
set size ratio -1
set xrange [0:15]
set yrange [0:7.5]
set key outside below horizontal
unset border
unset tics
set style fill solid 1 noborder
set object 1 rectangle from 0,0 to 15,7.5 fillcolor rgb "#5c6470" behind
set object 2 rectangle from 0.3,0.3 to 9.7,5.7 fillcolor rgb "#d9dde3" behind
set object 3 rectangle from 9.5,3.5 to 10.5,4.6 fillcolor rgb "#d9dde3" behind
set object 4 rectangle from 10.3,0.8 to 14.7,5.4 fillcolor rgb "#d9dde3" behind
set object 5 rectangle from 3.4,5.5 to 5.8,7.2 fillcolor rgb "#d9dde3" behind
set object 6 circle at 2.6,2.6 size 0.7 fillcolor rgb "#5c6470" behind
set object 7 circle at 6.4,2.4 size 0.7 fillcolor rgb "#5c6470" behind
set object 8 rectangle from 7.6,0.9 to 9.3,2.1 fillcolor rgb "#5c6470" behind
set object 9 polygon from 12.6,3.6 to 13.4,3.6 to 14.7,2.3 to 14.7,1.5 to 12.6,3.6 fillcolor rgb "#5c6470" behind
press(x) = 0.3 + 0.8*exp(-((x - 4.4)/0.6)**2)
plot out."/seen.csv" skip 1 using 1:2 with filledcurves closed fillcolor rgb "#ffffff" title "seen from the dock", \
     [2.5:6.3] '+' using 1:(press($1)):(0.3) with filledcurves fillcolor rgb "#5c6470" notitle, \
     out."/positions-new.csv" skip 1 using 1:2 with points pointtype 7 pointsize 0.25 linecolor rgb "#b0b7c3" title "the log", \
     out."/simple.csv" skip 1 using 1:2 with points pointtype 2 pointsize 0.5 linecolor rgb "#d1495b" title "plain network", \
     out."/hcr-contract.csv" skip 1 using 1:2 with points pointtype 7 pointsize 0.4 linecolor rgb "#00798c" title "hcr", \
     "<echo 4.6,4.4" using 1:2 with points pointtype 9 pointsize 1.6 linecolor rgb "#edae49" title "the dock"
