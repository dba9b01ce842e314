/* For the files that are compiled once for each instruction set: HCRI_JOIN(name_, HCRI_VARIANT) names this variant's.
 */
#ifndef HCRI_VARIANT_H
#define HCRI_VARIANT_H

#ifndef HCRI_VARIANT
#define HCRI_VARIANT baseline
#endif
#define HCRI_JOIN_(a, b) a##b
#define HCRI_JOIN(a, b) HCRI_JOIN_(a, b)

#endif
