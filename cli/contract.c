#include "command.h"
#include "map_command.h"

int command_contract(int argc, char **argv) {
    static const struct map map = {
        .name = "contract",
        .operands = "REGION V",
        .summary =
            "Reads a step v from the region's origin O in each row of the table V, and writes O + v where that is "
            "inside, else the point where the ray leaves the region: inside at tolerance 0. The columns are the "
            "outputs'.",
        .example = "hcr contract load.region v.csv -o y.csv",
        .outside = "a row had a bad value, or parameters that leave no point",
        .input = "V",
        .in_double = hcr_contract,
        .in_single = hcr_contract_f32,
    };
    return map_command(argc, argv, &map);
}
