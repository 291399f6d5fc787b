#pragma once
#include <foxhunt/abi.h>

namespace foxhunt {

/// Declaration of a kernel with static storage. Example:
///
///   FOXHUNT_KERNEL(adam_step, "optimizer/adam.cu", 256, FOXHUNT_PARAMS({"theta", FH_F32, FH_INOUT}, ...),
///                  FOXHUNT_CONSTANTS("ATOMS"), shared_function_or_nullptr);
///
/// makes `adam_step` an `fh_kernel` whose entry has the same name.
#define FOXHUNT_PARAMS(...) {__VA_ARGS__}
#define FOXHUNT_CONSTANTS(...) {__VA_ARGS__}
#define FOXHUNT_KERNEL(name, file, block, params, constants, shared)                                            \
  inline constexpr fh_kernel_param name##_params[] = params;                                                    \
  inline constexpr const char* name##_constants[] = constants;                                                  \
  inline constexpr fh_kernel name = {sizeof(fh_kernel),                                                         \
                                     block,                                                                     \
                                     file,                                                                      \
                                     #name,                                                                     \
                                     name##_params,                                                             \
                                     sizeof(name##_params) / sizeof(fh_kernel_param),                           \
                                     ::foxhunt::count_names(name##_constants, sizeof(name##_constants) / sizeof(char*)), \
                                     name##_constants,                                                          \
                                     shared}
/// For kernels without constants: FOXHUNT_NO_CONSTANTS.
#define FOXHUNT_NO_CONSTANTS {nullptr}

constexpr uint32_t count_names(const char* const* names, uint64_t n) {
  return n == 1 && names[0] == nullptr ? 0 : static_cast<uint32_t>(n);
}

}  // namespace foxhunt
