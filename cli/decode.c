#include "command.h"
#include "map_command.h"

int command_decode(int argc, char **argv) {
    static const struct map map = {
        .name = "decode",
        .operands = "REGION DR",
        .summary = "Writes, for each direction (of any length) and radius of the table DR, the point of the region: "
                   "inside at tolerance 0. The columns are those that encode writes; r is clamped to [0, 1].",
        .example = "hcr decode load.region polar.csv -o y.csv",
        .outside = "a row had a bad value, parameters that leave no point, or an unbounded direction",
        .input = "DR",
        .polar_input = 1,
        .in_double = hcr_decode,
        .in_single = hcr_decode_f32,
    };
    return map_command(argc, argv, &map);
}
