#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {
constexpr int64_t N = environment::kActions;
}

void Agent::record_rollout(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, B = plan_.accounts;
  const Recorder::Key key = r.stream("action");
  const fh_tensor x = main.write(rollout.x), h = main.write(rollout.h), value = main.write(rollout.value);
  const fh_tensor reward = r.reshape(series_row(main, 0), shape(T, B));
  const auto at = [&](compute::TensorId id, int64_t t) { return r.slice(main.write(id), t); };

  for (int64_t t = 0; t <= T; ++t) {
    const fh_tensor xt = r.slice(x, t), ht = r.slice(h, t), vt = r.slice(value, t);
    main.set_step("rollout/observe");
    accounts_.record_observe(main, xt);
    main.set_step("rollout/encode");
    pass_->record_step(main, xt, t, ht);
    main.set_step("rollout/policy");
    const fh_tensor logits = t < T ? at(rollout.logits, t) : r.scratch("last_logits", shape(B, N));
    actor_critic_->record_forward(main, ht, logits, vt);
    if (t == T) break;  // the last observation only serves the bootstrap

    const fh_tensor action = at(rollout.action, t);
    const auto salt = static_cast<uint32_t>(t);
    r.launch(kernels::select_action, Grid::elements(B),
             {in(logits), in(at(rollout.valid, t)), in(main.read(step_)), out(action), out(at(rollout.log_prob, t)), i32(0), u32(key.k[0]),
              u32(key.k[1]), u32(salt), i32(B)},
             {constant("ACTIONS", N), constant("MASKED", 0)});
    main.set_step("rollout/size");
    const fh_tensor target = at(rollout.target, t), sized = at(rollout.sized, t);
    const fh_tensor scale = r.view(series_row(main, 1), t * B, shape(B));
    accounts_.record_target(main, action, target);
    record_sizing(program, main, "rollout", {ht, action, target, sized, scale, salt});
    main.set_step("rollout/trade");
    accounts_.record_step(main, action, sized, step_,
                          {r.slice(reward, t), at(rollout.done, t), at(rollout.valid, t), at(rollout.fill_row, t),
                           at(rollout.fill_lots, t), at(rollout.fill_value, t), at(rollout.equity, t)},
                          salt);
  }
}

void Agent::record_sizing(compute::Program& program, compute::Recording& main, const std::string& scope,
                          const Sizing& s) {
  const int64_t rows = elements(main.recorder().shape_of(s.action));
  compute::Recording mine(program, tensors_, sizer_->kernels(),
                          {"position_sizing", scope + "/size", "position_sizing/" + scope, plan_.seed});
  const auto give = [&](fh_tensor handle) { return mine.read(main.operand(handle)); };
  fh_size_position io{};
  io.size = sizeof io;
  io.salt = s.salt;
  io.action = give(s.action);
  io.target_position = give(s.target);
  io.scale = mine.write(main.operand(s.scale));
  io.position = mine.write(main.operand(s.sized));
  io.step = mine.read(step_);

  if (const Head* head = risk_head()) {
    HeadRecordings own = recordings(program, *head, scope + "/risk");
    std::vector<Head::Wanted> wanted;
    const auto want = [&](uint32_t flag, const char* name, fh_tensor& to) {
      if (!(sizer_->needs() & flag)) return;
      const fh_tensor t = own.plugin.recorder().scratch(("risk_" + scope + "_" + name).c_str(), head->output_shape(name, rows));
      wanted.push_back({name, t});
      to = mine.read(own.plugin.operand(t));
    };
    want(FH_NEEDS_VARIANCE_Q, "variance_q", io.variance_q);
    want(FH_NEEDS_EXPECTED_Q, "expected_q", io.expected_q);
    want(FH_NEEDS_LOG_PROBS, "log_probs", io.log_probs);
    want(FH_NEEDS_SUPPORT, "support", io.support);
    head->record_infer(own.plugin, own.plugin.read(main.operand(s.h)), step_, s.salt, wanted);
  }
  sizer_->apply(mine, io);
}

}  // namespace foxhunt::trainer
