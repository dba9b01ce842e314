/* What exported CUDA C++ takes from CUDA's headers, for clang's own front end, which then needs no CUDA toolkit:
 * clang -x cuda --cuda-device-only -nocudainc -nocudalib -include clang_cuda.h. Functions without a body are
 * libdevice's. */
#include <math.h>
#include <string.h>

#define __CUDACC_RTC__ /* no launches from the host */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __forceinline__ __inline__ __attribute__((always_inline))

struct index3 {
    unsigned int x;
};
#define threadIdx (index3{(unsigned int)__nvvm_read_ptx_sreg_tid_x()})
#define blockIdx (index3{(unsigned int)__nvvm_read_ptx_sreg_ctaid_x()})
#define blockDim (index3{(unsigned int)__nvvm_read_ptx_sreg_ntid_x()})
#define gridDim (index3{(unsigned int)__nvvm_read_ptx_sreg_nctaid_x()})

static __device__ inline float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
static __device__ inline double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
static __device__ inline void *memcpy(void *to, const void *from, size_t size) {
    return __builtin_memcpy(to, from, size);
}
#define ELSEWHERE(name)                                                                                                \
    extern "C++" __device__ double name(double);                                                                       \
    extern "C++" __device__ float name##f(float);
ELSEWHERE(exp)
ELSEWHERE(log)
ELSEWHERE(log1p)
extern "C++" __device__ double pow(double, double);
extern "C++" __device__ float powf(float, float);
