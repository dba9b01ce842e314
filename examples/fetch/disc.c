/* The point of the unit disc on the way from its centre to (3, 0). */
#include <hcr/hcr_build.h>
#include <stdio.h>

int main(void) {
    static const char text[] = "var y[2]\nnorm(y, 2) <= 1\n";
    const double raw[2] = {3, 0};
    double inside[2];
    hcr_error error = {0};
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_workspace *workspace = NULL;
    const int failed = hcr_text_build(text, sizeof text - 1, "disc", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK ||
                       hcr_builder_finish(builder, &region, &error) != HCR_OK ||
                       hcr_workspace_create(region, 1, &workspace, &error) != HCR_OK ||
                       hcr_contract(region, workspace, 1, NULL, raw, inside, NULL, &error) != HCR_OK;
    if (failed)
        fprintf(stderr, "%s\n", error.text);
    else
        printf("%.6f %.6f\n", inside[0], inside[1]);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
    hcr_builder_free(builder);
    return failed;
}
