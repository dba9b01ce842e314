# The limits that were given for each day, made up from what the day then was: a table of days in (hours, 24 columns), the
# parameters of day.region out. Numbers come from the generator x <- 16807 x mod 2^31 - 1 (Park and Miller, 1988), so
# that every awk gives the same.
# awk -F , -v seed=1 -f limits.awk y.csv
function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
function within(value, least, most) { return value < least ? least : value > most ? most : value }
BEGIN {
    state = 1000 + seed
    for (i = 0; i < 20; i++) uniform()
    for (j = 0; j < 24; j++) printf "low[%d],", j
    for (j = 0; j < 24; j++) printf "high[%d],", j
    print "energy"
}
NR > 1 {
    energy = 0
    for (j = 1; j <= 24; j++) { energy += $j; printf "%.2f,", within($j - 10 - 60 * uniform(), 200, 440) }
    for (j = 1; j <= 24; j++) printf "%.2f,", within($j + 10 + 60 * uniform(), 740, 1000)
    printf "%.10g\n", within(energy, 11040, 17280)
}
