#include "../agent/network.hpp"
#include "../kernels/agent.hpp"
#include "../kernels/diagnostics.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

void Agent::record_metrics(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t S = plan_.samples();
  main.set_step("metrics");
  const fh_tensor valid = main.read(rollout.valid), action = main.read(rollout.action);
  const fh_tensor logits = main.read(rollout.logits);
  const std::vector<fh_constant> actions{constant("ACTIONS", plan_.actions)};

  r.copy(series_row(main, 2), r.view(main.read(rollout.value), 0, shape(1, S)));
  r.copy(series_row(main, 4), r.view(main.read(rollout.shaped), 0, shape(1, S)));
  r.launch(kernels::q_pi_agreement, Grid::elements(S),
           {in(main.read(ensemble_q_)), in(logits), in(action), out(series_row(main, 5, 4)), i32(S)}, actions);
  r.launch(kernels::series_sums, Grid::blocks(9),
           {in(main.read(rollout.series)), in(valid), out(record.window(main, sums.reward, 3 * 9)), i32(S)});
  if (plan_.epochs == 0) r.fill(main.write(update_.series), 0);
  r.launch(kernels::series_sums, Grid::blocks(6),
           {in(main.read(update_.series)), in(update_.valid ? main.read(update_.valid) : valid),
            out(record.window(main, sums.policy_loss, 3 * 6)), i32(S)});
  r.launch(kernels::ring_size, Grid::elements(1), {in(main.read(replay_ring())), out(record.window(main, sums.replay_size, 1))});
  for (const auto& [balance, at] : {std::pair{&value_balance_, sums.lambdas}, {&q_balance_, sums.lambdas + 1}}) {
    const fh_tensor weight = record.window(main, at, 1);
    if (balance->on())
      r.copy(weight, r.view(main.read(balance->state()), 0, shape(1)));
    else
      r.fill(weight, 1);
  }
  if (const compute::TensorId selection = learned_selection()) {
    const int64_t features = environment_->features();
    const fh_tensor one = r.scratch("one_valid", shape(1), FH_U8);
    r.fill(one, 1);
    r.launch(kernels::series_sums, Grid::blocks(features),
             {in(main.read(selection)), in(one), out(record.window(main, sums.selection, 3 * features)), i32(1)});
  }
  r.launch(kernels::action_counts, Grid::blocks(plan_.actions),
           {in(action), in(valid), out(record.window(main, sums.actions, plan_.actions)), i32(S)});
  environment_->record_totals(main, record.window(main, sums.totals, environment_->totals()));
  if (plan_.trades)
    r.fill(record.window(main, sums.returns, 2), 0);
  else
    r.launch(kernels::recent_returns, Grid::blocks(1),
             {in(main.read(rollout.equity)), in(main.read(rollout.done)), in(valid), inout(main.write(recent_returns_)),
              inout(main.write(ended_)), out(record.window(main, sums.returns, 2)),
              i32(tensors_[recent_returns_].shape.dim[0]), i32(S)});
  const auto squares = [&](const agent::ParameterGroup& group, const Sums::Squares& at, bool learns) {
    const auto tensors = static_cast<int64_t>(group.size());
    if (learns)
      r.copy(record.window(main, at.gradient, tensors), main.read(group.gradient_squares()));
    else
      r.fill(record.window(main, at.gradient, tensors), 0);
    r.copy(record.window(main, at.weight, tensors), main.read(group.weight_squares()));
    group.record_update_ratios(main);
    r.copy(record.window(main, at.update_ratio, tensors), main.read(group.update_ratios()));
  };
  squares(encoder_group_, sums.encoder, plan_.epochs > 0 || (plan_.learns_encoder_from_q() && plan_.replay_updates > 0));
  squares(group_, sums.policy, plan_.epochs > 0);
  record.record_commit(main, step_);

  for (size_t i = 0; i < heads_.size(); ++i) {
    Head& head = *heads_[i];
    HeadRecordings own = recordings(program, head, "metrics");
    compute::Recording& mine = own.program;
    Recorder m = mine.recorder();
    const auto visited = [&](const char* name) {
      return mine.read(own.plugin.operand(own.plugin.recorder().scratch(
          (std::string("visited_") + name).c_str(), head.output_shape(name, S))));
    };
    const auto give = [&](fh_tensor handle) { return mine.read(main.operand(handle)); };
    const auto row = [&](int64_t first, int64_t rows) {
      return m.view(mine.write(head_values_[i]), first * S, shape(rows, S));
    };
    const auto reduce = [&](int64_t first, int64_t rows, int64_t offset) {
      m.launch(kernels::series_sums, Grid::blocks(rows),
               {in(row(first, rows)), in(give(valid)), out(head.record.window(mine, offset, 3 * rows)), i32(S)});
    };
    if (head.agreement_sums >= 0) {
      m.launch(kernels::q_pi_agreement, Grid::elements(S),
               {in(visited("expected_q")), in(give(logits)), in(give(action)), out(row(0, 4)), i32(S)}, actions);
      reduce(0, 4, head.agreement_sums);
    }
    if (head.value_sums >= 0) {
      m.launch(kernels::state_value_errors, Grid::elements(S),
               {in(visited("expected_q")), in(give(logits)), in(give(series_row(main, 3))), out(row(9, 6)), i32(S)}, actions);
      reduce(9, 6, head.value_sums);
    }
    if (head.edge_sums >= 0) {
      const int64_t atoms = head.output_shape("log_probs", S).dim[2];
      m.launch(kernels::edge_mass, Grid::elements(S),
               {in(visited("log_probs")), in(give(action)), out(row(4, 1)), i32(atoms), i32(S)}, actions);
      reduce(4, 1, head.edge_sums);
    }
    if (head.magnitude_sums >= 0) {
      // |x| = 2 relu(x) - x: V, relu(V), and over the actions the sums of A and relu(A).
      const fh_tensor value = m.reshape(visited("state_value"), shape(1, S)), advantage = m.reshape(visited("advantage"), shape(S, plan_.actions));
      const fh_tensor positive = m.scratch("positive_advantage", shape(S, plan_.actions)), ones = m.scratch("ones", shape(plan_.actions, 1));
      m.fill(ones, 1);
      m.copy(row(5, 1), value);
      agent::record_activation(mine, agent::Activation::relu, value, row(6, 1));
      agent::record_activation(mine, agent::Activation::relu, advantage, positive);
      m.gemm(m.reshape(row(7, 1), shape(S, 1)), advantage, ones);
      m.gemm(m.reshape(row(8, 1), shape(S, 1)), positive, ones);
      reduce(5, 4, head.magnitude_sums);
    }
    if (head.loss_sums >= 0) {
      const int64_t n = plan_.replay.batch, updates = plan_.replay_updates;
      const fh_tensor all = m.scratch("all_valid", shape(n), FH_U8);
      m.fill(all, 1);
      m.launch(kernels::series_sums, Grid::blocks(updates),
               {in(mine.read(head.losses())), in(all), out(head.record.window(mine, head.loss_sums, 3 * updates)),
                i32(n)});
    }
    const auto count = static_cast<int64_t>(head.parameters().size());
    m.copy(head.record.window(mine, head.weight_squares, count), mine.read(head.parameters().weight_squares()));
    if (plan_.replay_updates > 0)
      m.copy(head.record.window(mine, head.gradient_squares, count), mine.read(head.parameters().gradient_squares()));
    else
      m.fill(head.record.window(mine, head.gradient_squares, count), 0);
    head.parameters().record_update_ratios(mine);
    m.copy(head.record.window(mine, head.update_ratios, count), mine.read(head.parameters().update_ratios()));
    head.record.record_commit(mine, step_);
  }
}

}  // namespace foxhunt::trainer
