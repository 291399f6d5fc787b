// A head that fails in the way that its option says, and otherwise does nothing of use.
#include <foxhunt/plugin.hpp>

namespace {

class Naughty final : public foxhunt::QHead {
 public:
  enum Mode { none, create_error, create_int, infer_error, write_h, write_weight, bad_output, bad_parameter };
  static constexpr std::array options = {foxhunt::option::choice(
      "mode", "none|create_error|create_int|infer_error|write_h|write_weight|bad_output|bad_parameter",
      "none", "what goes wrong")};

  explicit Naughty(const foxhunt::Create& create) : mode_(static_cast<Mode>(create.choice("mode"))) {
    if (mode_ == create_error) throw foxhunt::Error("the moon is in the wrong phase");
    if (mode_ == create_int) throw 42;
    w_ = parameter("w", foxhunt::shape(create.hidden(), mode_ == bad_parameter ? -4 : 4), {"hidden", "four"},
                   foxhunt::Init::glorot_uniform());
    q_ = output("expected_q",
                foxhunt::shape(foxhunt::any_batch, create.actions() + (mode_ == bad_output ? 1 : 0)));
  }
  void infer(foxhunt::Recorder& r, const foxhunt::Infer& call) override {
    if (mode_ == infer_error) throw foxhunt::Error("no inference on Sundays");
    if (mode_ == write_h) r.fill(call.h(), 0);
    if (mode_ == write_weight) r.fill(call.weight(w_), 0);
    r.fill(call.output(q_), 1);
  }
  void learn(foxhunt::Recorder& r, const foxhunt::Learn& call) override {
    r.fill(call.gradient(w_), 0);
    r.fill(call.loss(), 0);
  }

 private:
  Mode mode_;
  foxhunt::Parameter w_;
  foxhunt::Output q_;
};

}  // namespace

FOXHUNT_PLUGIN(Naughty, "naughty", "1.2.3", "Fails on demand")
