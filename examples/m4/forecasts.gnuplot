# Draws six of the forecasts that `forecast` wrote:  gnuplot -c forecasts.gnuplot FOLDER PICTURE svg|png
folder = ARG1
if (ARG3 eq "png") {
    set terminal pngcairo size 1800,1100 font "Sans,15" linewidth 1.6 background "#ffffff"
} else {
    set terminal svg size 1200,735 dynamic font "Helvetica,Arial,sans-serif,13" background "#ffffff"
}
set output ARG2
set datafile separator comma

set multiplot layout 2,3 margins 0.055,0.985,0.085,0.83 spacing 0.06,0.13
set border 3 linecolor "#666666"
set tics nomirror out scale 0.5 textcolor "#444444"
set xtics -48,24,48
set xrange [-48:48]
set format y "%.0f"
set key off

# One legend for all, above the plots.
set label 1 "Two days ahead, forecast at the dotted line" at screen 0.055,0.955 font ",19" textcolor "#222222"
y0 = 0.895
set label 2 "{/*1.3 ━} what happened" at screen 0.055,y0 textcolor "#888888"
set label 3 "{/*1.3 ━} hcr" at screen 0.215,y0 textcolor "#0b62a4"
set label 4 "{/*1.3 ━} plain network" at screen 0.295,y0 textcolor "#e08a2e"
set label 5 "{/*1.3 ●} breaks a limit" at screen 0.455,y0 textcolor "#c1121f"
set label 6 "{/*1.3 ■} between the smallest and largest of the past" at screen 0.605,y0 textcolor "#6f9a63"
set arrow 1 from 0,graph 0 to 0,graph 1 nohead linecolor "#999999" dashtype 3

hours = 'hours from now'
do for [i = 1:6] {
    id = word("H29 H127 H155 H169 H337 H407", i)
    after = folder . "/" . id . "-after.csv"
    before = folder . "/" . id . "-before.csv"
    set title id offset 0,-0.6 font ",14" textcolor "#222222"
    if (i > 3) { set xlabel hours offset 0,0.3 textcolor "#444444" } else { unset xlabel }
    plot after skip 1 using 1:6:7 with filledcurves linecolor "#e6efe3", \
         after skip 1 using 1:6 with lines linecolor "#a9c6a0" linewidth 1, \
         after skip 1 using 1:7 with lines linecolor "#a9c6a0" linewidth 1, \
         before skip 1 using 1:2 with lines linecolor "#888888" linewidth 1.3, \
         after skip 1 using 1:2 with lines linecolor "#888888" linewidth 1.3, \
         after skip 1 using 1:4 with lines linecolor "#f2a65a" linewidth 2.6, \
         after skip 1 using 1:($5 > 0 ? $4 : NaN) with points pointtype 7 pointsize 0.75 linecolor "#c1121f", \
         after skip 1 using 1:3 with lines linecolor "#0b62a4" linewidth 1.8
    do for [k = 1:6] { unset label k }
}
unset multiplot
