#include "command.h"
#include "map_command.h"

int command_encode(int argc, char **argv) {
    static const struct map map = {
        .name = "encode",
        .operands = "REGION Y",
        .summary =
            "Writes, for each point of the table Y, its direction from the region's origin and its radius r: 0 at "
            "the origin, 1 on the frontier. Columns: \"d:\" and the output's name for each output, then \"r\".",
        .example = "hcr encode load.region y.csv -o polar.csv",
        .outside = "a row was outside (r > 1), or had a bad value or parameters that leave no point",
        .input = "Y",
        .polar_output = 1,
        .in_double = hcr_encode,
        .in_single = hcr_encode_f32,
    };
    return map_command(argc, argv, &map);
}
