#include "device/export_guide.h"

#include "device/export_network.h"

void hcri_guide_cmake(hcri_code *code) {
    if (code->cuda) {
        hcri_code_put(code, "cmake_minimum_required(VERSION 3.18)\nproject($ LANGUAGES CUDA)\n\n"
                            "add_library($ STATIC $.cu)\ntarget_include_directories($ PUBLIC .)\n\n"
                            "enable_testing()\nadd_executable($_test $_test.cu)\n"
                            "add_test(NAME $_test COMMAND $_test)\n");
        return;
    }
    hcri_code_put(code,
                  "cmake_minimum_required(VERSION 3.10)\nproject($ LANGUAGES C)\n\n"
                  "add_library($ STATIC $.c)\n"
                  "target_include_directories($ PUBLIC .)\n"
                  "set_target_properties($ PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)\n"
                  "if(UNIX)\n    target_link_libraries($ PUBLIC m)\nendif()\n\n"
                  "enable_testing()\nadd_executable($_test $_test.c)\n"
                  "set_target_properties($_test PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)\n"
                  "target_link_libraries($_test PRIVATE $)\nadd_test(NAME $_test COMMAND $_test)\n");
}

static void put_names(hcri_code *code, const hcr_region *region, int of_parameters) {
    char name[64];
    hcri_code_text(code, of_parameters ? "The parameters `x`, in this order: " : "Outputs, in this order: ");
    const size_t n = of_parameters ? hcr_region_parameters(region) : hcr_region_dimension(region),
                 shown = n < 64 ? n : 64;
    for (size_t j = 0; j < shown; j++) {
        (of_parameters ? hcr_region_parameter_name : hcr_region_output_name)(region, j, name, sizeof name);
        hcri_code_text(code, j == 0 ? "`" : ", `");
        hcri_code_text(code, name);
        hcri_code_text(code, "`");
    }
    hcri_code_text(code, shown < n ? ", ….\n\n" : ".\n\n");
}

void hcri_guide_readme(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin,
                       const hcr_export_report *report) {
    const char *x = plan != NULL && plan->p != 0 ? "x, " : "", *given = hcri_network_is_given(model) ? x : "";
    hcri_code_put(code, "# $\n\n%s made by hcr %s", code->cuda ? "CUDA C++" : "C99", hcr_version());
    if (origin != NULL) {
        hcri_code_text(code, " from `");
        hcri_code_foreign(code, origin);
        hcri_code_text(code, "`");
    }
    hcri_code_put(code, ", in %s precision. %s\n\n", code->single ? "single" : "double",
                  code->cuda
                      ? "A thread takes a sample; kernels take no memory but the arrays."
                      : "It allocates nothing, changes no variable that outlives a call, calls nothing but\n"
                        "libm, and doesn't recurse: it may run in an interrupt, and on several threads at once.");
    if (model != NULL) {
        hcri_code_text(code, "The model: ");
        hcri_code_text(code, hcr_model_summary(model));
        hcri_code_text(code, "\n\n");
    }
    put_names(code, model != NULL ? hcr_model_region(model) : plan->region, 0);
    if (x[0] != '\0')
        put_names(code, plan->region, 1);
    hcri_code_put(code, "`$.h` says what the functions do:\n\n```c\n#include \"$.h\"\n\n");
    if (code->cuda) {
        hcri_code_put(code,
                      model != NULL ? "const int failed = $_predict_rows(rows, input, %sy, outcome, stream);\n"
                                    : "const int failed = $_contract_rows(rows, v, %sy, outcome, stream);\n",
                      model != NULL ? given : x);
    } else {
        hcri_code_put(code, "$_real y[^OUTPUTS];\n");
        if (model != NULL)
            hcri_code_put(code, "const int outcome = $_predict(input, %sy);        /* input: ^INPUTS numbers */\n",
                          given);
        if (plan != NULL)
            hcri_code_put(code, "const int moved = $_contract(v, %sy);             /* O + v, pulled inside */\n", x);
    }
    hcri_code_text(code, "```\n\n");
    if (plan != NULL) {
        hcri_code_put(
            code,
            "What the maps return satisfies every inequality in exact arithmetic. For that they give up a share of\n"
            "%.2g of the radius next to the frontier, which covers all rounding, also where products and sums are\n"
            "fused, where the machine computes wider than it stores, and where it flushes subnormal numbers to 0.\n",
            report->margin);
        if (report->verified != 0)
            hcri_code_put(
                code,
                "%zu of the constraints are checked at each result instead, which is drawn towards the origin\n"
                "until they hold for certain.\n",
                report->verified);
        hcri_code_text(code, "\n");
    }
    hcri_code_put(
        code,
        "| | |\n|---|---|\n| numbers in tables | %zu |\n| floating-point operations of a call, at most | %.0f |\n",
        report->constants, report->operations);
    if (report->largest_operations > report->operations)
        hcri_code_put(code, "| … where a result has to be drawn in as often as can be%s | %.0f |\n",
                      code->search_operations > 0 ? ", and the search for a sample's centre is hard" : "",
                      report->largest_operations);
    if (code->cuda)
        hcri_code_put(code, "\nBuild without `-use_fast_math`, `-prec-div=false` and `-prec-sqrt=false`: nvcc doesn't "
                            "tell the code.\nThe self-test, with results of the library:\n\n```\n"
                            "nvcc -arch=native $_test.cu && ./a.out\n```\n");
    else
        hcri_code_put(
            code,
            "\nBuild with `-std=c99` and any optimisation but `-ffast-math` (the code refuses it). The self-test, "
            "with\n"
            "results of the library:\n\n```\ncc -std=c99 -O2 $.c $_test.c -lm && ./a.out\n"
            "cmake -S . -B build && cmake --build build && ctest --test-dir build\n"
            "arm-none-eabi-gcc -std=c99 -O2 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -c $.c\n```\n");
}
