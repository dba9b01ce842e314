# Four days with the limits of each, what the load then was, and what the two models forecast.
# gnuplot -c day.gnuplot OUT FILE svg|png
out = ARG1
if (ARG3 eq "svg") { set terminal svg size 1100,620 font "sans,14" background "white" } else { set terminal pngcairo size 1100,620 font "sans,12" }
set output ARG2
# Row `day` of a table as two columns: hour, value.
row(file, first, day) = sprintf("< awk -F , 'NR == %d { for (j = 1; j <= 24; j++) print j, $(j + %d) }' '%s/%s'", day + 2, first, out, file)
band(day) = sprintf("< awk -F , 'NR == %d { for (j = 1; j <= 24; j++) print j, $j, $(j + 24) }' '%s/limits_test.csv'", day + 2, out)
set multiplot layout 2,2 margins 0.06,0.985,0.14,0.97 spacing 0.05,0.07
set xrange [1:24]
set yrange [200:1020]
set xtics 6
set grid ytics linecolor rgb "#e3e6eb"
set key at screen 0.5,0.05 center horizontal
do for [k = 0:3] {
    day = 7 + 45*k
    plot band(day) using 1:2:3 with filledcurves fillcolor rgb "#dfe7ef" title (k == 0 ? "allowed that day" : ""), \
         row("load_test.csv", 0, day) using 1:2 with lines linewidth 2 linecolor rgb "#9aa3b2" title (k == 0 ? "load" : ""), \
         row("simple.csv", 0, day) using 1:2 with lines linewidth 1.5 dashtype 2 linecolor rgb "#d1495b" title (k == 0 ? "plain network" : ""), \
         row("hcr-contract.csv", 0, day) using 1:2 with lines linewidth 2 linecolor rgb "#00798c" title (k == 0 ? "hcr" : "")
    unset key
}
unset multiplot
