// A plugin with a right descriptor (named NAME) whose tables are wrong in one way (EVIL), over the bare C
// ABI.
#include <foxhunt/descriptor.hpp>
#include <foxhunt/recorder.hpp>

extern "C" void foxhunt_test_function_that_nobody_defines();

namespace {

fh_status create(const fh_create*, void** self, fh_message*) {
  static int object;
  *self = &object;
  return FH_OK;
}
void destroy(void*) {}
fh_list nothing(void*) { return {nullptr, 0, 0}; }
fh_shape none(void*) { return {}; }
fh_status infer(void*, fh_recorder*, const fh_recorder_api*, const fh_infer*, fh_message*) { return FH_OK; }
fh_status learn(void*, fh_recorder*, const fh_recorder_api*, const fh_learn*, fh_message*) { return FH_OK; }

fh_q_head head = {sizeof(fh_q_head), 0,       create, destroy, nothing, nothing,
                  nothing,           nothing, none,   infer,   learn};
fh_option options[] = {{"first", "an integer", nullptr, FH_OPTION_INT, 0, 1, 0, 10},
                       {"second", "a choice", "a|b", FH_OPTION_CHOICE, 0, 0, 0, 1}};
fh_kernel_param parameters[] = {{"x", FH_F32, FH_IN}};
fh_kernel kernel = {sizeof(fh_kernel), 32, "evil.cu", "evil", parameters, 1, 0, nullptr, nullptr};
const fh_kernel* kernels[] = {&kernel};
fh_source sources[] = {{"evil.cu", ""}};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const fh_descriptor foxhunt_plugin_descriptor;
__attribute__((section(FH_SECTION), used)) constinit const fh_descriptor foxhunt_plugin_descriptor =
    foxhunt::make_descriptor(FH_Q_HEAD, NAME, "1.0.0", "refused by its tables");

__attribute__((visibility("default"))) const fh_plugin* ENTRY() {
  static fh_plugin table = {sizeof(fh_plugin), FH_Q_HEAD, options, kernels, sources, 2, 1, 1, 0, {&head}};
  fh_plugin* entry = &table;
  EVIL;
  return entry;
}
}
