#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../agent/actor_critic.hpp"
#include "../agent/encoder.hpp"
#include "../agent/loss_balance.hpp"
#include "../agent/replay.hpp"
#include "../agent/sequence_replay.hpp"
#include "../environment/environment.hpp"
#include "../plugins/registry.hpp"
#include "heads.hpp"
#include "plan.hpp"
#include "record.hpp"

namespace foxhunt::trainer {

/// Everything that trains, as tensors and recorded programs: one iteration is one program. Nothing here runs; a
/// Compute backend does (see Session).
class Agent {
 public:
  /// Declares all tensors of a run.
  Agent(const Plan& plan, std::unique_ptr<environment::Environment> environment, plugins::Registry& plugins,
        const config::Config& config);

  /// One iteration: rollout of `horizon` steps, one on-policy update, `replay_updates` updates of each head,
  /// metrics. @throws foxhunt::Error if a diagnostic head would write what anything else reads.
  compute::Program record_iteration();

  /// Uploads what is no state: market data, where parameters lie in their storage.
  void upload_constants(compute::Compute& compute) const;
  /// Initial weights, controllers and accounts; the rest of the state is 0, as allocated.
  void initialise(compute::Compute& compute) const;

  // Parts, for evaluation, metrics and checkpoints.
  const Plan& plan() const { return plan_; }
  compute::Tensors& tensors() { return tensors_; }
  const compute::Tensors& tensors() const { return tensors_; }
  const agent::Encoder& encoder() const { return *encoder_; }
  const agent::ActorCritic& actor_critic() const { return *actor_critic_; }
  const agent::ParameterGroup& encoder_group() const { return encoder_group_; }
  const agent::ParameterGroup& policy_group() const { return group_; }  ///< policy and value
  const environment::Environment& environment() const { return *environment_; }
  const std::vector<std::unique_ptr<Head>>& heads() const { return heads_; }
  const plugins::RewardShaperInstance& shaper() const { return *shaper_; }
  const plugins::PositionSizerInstance& sizer() const { return *sizer_; }
  const Head* risk_head() const;
  compute::TensorId step() const { return step_; }

  /// Handles of `main` for one sizing: h [n, H], action i32, target f32 [lots] in; sized f32 [lots], scale f32 out.
  struct Sizing {
    fh_tensor h, action, target, sized, scale;
    uint32_t salt;
  };
  void record_sizing(compute::Program& program, compute::Recording& main, const std::string& scope, const Sizing& s);

  /// Handles of `main` for choosing actions: h [n, H], logits [n, N], mask u8 [n, N] or 0, exploration f32 [1] where the
  /// source acts on Q, else 0; action i32 [n] and log_prob f32 [n] out. `greedy` leaves exploration out.
  struct Choice {
    std::string scope;
    fh_tensor h, logits, mask, exploration, action, log_prob;
    compute::TensorId step;
    uint32_t salt;
    bool greedy;
  };
  void record_choice(compute::Program& program, compute::Recording& main, const Choice& choice);
  /// The same outside of training, as eval.selection has it, for h [n, H].
  void record_evaluated_choice(compute::Program& program, compute::Recording& main, const std::string& scope, fh_tensor h,
                               fh_tensor mask, fh_tensor action, compute::TensorId step, uint32_t salt);
  /// Handles of `main`: h [n, H] in; value f32 [n] and expected_q f32 [n, N] of the heads named out.
  struct Critics {
    fh_tensor h, value;
    std::vector<std::pair<std::string, fh_tensor>> expected_q;
    compute::TensorId step;
    uint32_t salt;
  };
  /// What the critics say at h; V_scalar as if it shared the policy's encoder.
  void record_critics(compute::Program& program, compute::Recording& main, const std::string& scope, const Critics& critics);
  /// What load_policy needs of a checkpoint: paths of all weights that choose actions or size positions.
  std::vector<std::string> acting_weights() const;
  /// The same with all critics.
  std::vector<std::string> critic_weights() const;

  /// Offsets of this program's own sums in `record`.
  struct Sums {
    int64_t reward, scale, value, value_target, shaped;  // Moments, as the next two lines
    int64_t agreement, q_gap, q_taken, q_mean;           // of the ensemble
    int64_t policy_loss, entropy, distill_kl, value_error, approximate_kl, clipped;  // of the last epoch
    int64_t actions, totals, returns, replay_size, lambdas, selection;  // selection: -1, no selection of features
    struct Squares {
      int64_t gradient, weight, update_ratio;  // of each tensor
    } encoder, policy;
  } sums{};
  Record record{"metrics"};

  /// Rollout tensors, [horizon, accounts] each.
  struct Rollout {
    compute::TensorId x, h, value_h, logits, value, action, log_prob, target, sized, done, valid, mask, fill_row, fill_lots,
        fill_value, equity, series, shaped, advantage;
  } rollout{};

 private:
  /// Samples that one step of the on-policy update learns from: all of a rollout, or a minibatch. Handles.
  struct Samples {
    int64_t rows = 0;
    fh_tensor x, h, value_h, logits, value, old_value, action, log_prob, advantage, value_target, valid, mask, ensemble_q;
    agent::Encoder::Pass *pass = nullptr, *critic = nullptr;  ///< hold the activations; critic: if V has its own
  };

  /// Rows of the steps before a rollout that windows of several steps still need, with those of the rollout behind
  /// them: [n_step - 1 + …, accounts, …].
  struct History {
    compute::TensorId all = 0, before = 0, rollout = 0;
  };

  void check_risk_source() const;
  compute::TensorId declare(const std::string& name, fh_dtype dtype, fh_shape shape,
                            compute::Lifetime lifetime = compute::Lifetime::scratch);
  History declare_history(const std::string& name, fh_dtype dtype, fh_shape shape);
  void declare_rollout();
  /// What a minibatch is made of: `count` sequences of `steps` samples each.
  struct Units {
    int64_t steps, count;
  };
  Units units() const;
  void declare_replay();
  void declare_balance();
  void declare_policy_update();
  void check_head(const Head& head) const;
  void declare_records();
  void record_rollout(compute::Program& program, compute::Recording& main);
  void record_ensemble(compute::Program& program, compute::Recording& main, const Choice& choice, fh_tensor q);
  void record_draw(compute::Program& program, compute::Recording& main, const Choice& choice, fh_tensor q);
  void record_visited(compute::Program& program, compute::Recording& main);
  void record_advantage(compute::Program& program, compute::Recording& main);
  Samples whole_rollout(compute::Recording& main) const;
  Samples gathered(compute::Recording& main, const Samples& all, fh_tensor order, int64_t part) const;
  void record_policy_step(compute::Recording& main, const Samples& samples, int64_t first_sample, bool first);
  void record_policy_update(compute::Recording& main);
  void record_epochs(compute::Recording& main);
  void record_outside_value_gradient(compute::Recording& main);
  void record_append(compute::Recording& main);
  void record_replay_updates(compute::Program& program);
  void record_observation_update(compute::Program& program, compute::Recording& replay, uint32_t update);
  void record_sequence_update(compute::Program& program, compute::Recording& replay, uint32_t update);
  fh_tensor record_heads(compute::Program& program, compute::Recording& replay, const agent::Batch& batch, uint32_t update);
  void record_encoder_step(compute::Recording& replay);
  /// Next slot to write, transitions held.
  compute::TensorId replay_ring() const {
    return plan_.replay_kind == Plan::ReplayKind::sequence ? sequences_.ring() : replay_.ring();
  }
  void record_metrics(compute::Program& program, compute::Recording& main);
  void record_shaping(compute::Program& program, compute::Recording& main);
  /// V in all states of the rollout [horizon + 1, accounts], as the advantage is made of it.
  fh_tensor record_baseline(compute::Program& program, compute::Recording& main);
  fh_tensor record_head_value(compute::Program& program, compute::Recording& main, const Head& head);
  fh_tensor cut(compute::Recording& main, const char* name, fh_tensor value);
  /// `infer` of a head at h [n, H], an operand; V too where the head reads it.
  void record_infer(HeadRecordings& own, const Head& head, const compute::Operand& h, compute::TensorId step, uint32_t salt,
                    const std::vector<Head::Wanted>& wanted) const;
  /// A replay update of all heads. `total` [batch, H]: where the gradient of batch.state goes, from the heads of the ensemble
  /// by their weights; 0: nowhere.
  void record_learning(compute::Program& program, compute::Recording& replay, const agent::Batch& batch, uint32_t update, fh_tensor total);
  HeadRecordings recordings(compute::Program& program, const Head& head, const std::string& step) const;
  /// f32 [F]: mean weight of each feature in the last step of the on-policy update; 0 if there is none.
  compute::TensorId learned_selection() const;
  fh_tensor series_row(compute::Recording& main, int row, int64_t rows = 1) const;

  Plan plan_;
  compute::Tensors tensors_;
  agent::ParameterGroup encoder_group_{"encoder", "/optimizer/encoder", false};
  agent::ParameterGroup group_{"policy", "/optimizer/policy", false};
  std::unique_ptr<agent::Encoder> encoder_, critic_;
  std::unique_ptr<agent::Encoder::Pass> pass_, critic_pass_, replay_pass_, target_pass_,
      select_pass_;  ///< of the next observation by the online encoder, where a head chooses its action with it
  std::unique_ptr<agent::ActorCritic> actor_critic_;
  agent::LossBalance value_balance_, q_balance_;
  std::unique_ptr<environment::Environment> environment_;
  agent::Replay replay_;
  agent::SequenceReplay sequences_;  ///< one of the two is declared
  std::vector<std::unique_ptr<Head>> heads_;
  std::unique_ptr<plugins::RewardShaperInstance> shaper_;
  std::unique_ptr<plugins::PositionSizerInstance> sizer_;
  std::vector<compute::TensorId> shaper_controllers_;
  std::vector<compute::TensorId> head_values_;  // f32 [15, samples] of each head with something to measure, else 0
  struct {
    compute::TensorId series = 0;  ///< f32 [6, samples], rows of policy_gradient, in the order of the minibatches
    compute::TensorId valid = 0;   ///< u8 [samples] in that order; only with minibatches
    compute::TensorId go = 0;      ///< i32 [2]: whether the update still takes steps
    std::unique_ptr<agent::Encoder::Pass> pass, critic;
  } update_;
  struct {
    History states, action, shaped, done, valid;
  } history_;
  struct {
    compute::TensorId w = 0, b = 0;  ///< f32 [H, 1], [1]: mean over the updates of the last iteration
  } outside_value_gradient_;         ///< of V, from heads that train it; 0: none does
  compute::TensorId recent_returns_ = 0, ended_ = 0;  ///< of the episodes that ended last; where actions are no orders
  compute::TensorId no_mask_ = 0;  ///< stands for a mask where everything is legal: nobody looks at it
  compute::TensorId step_ = 0, policy_lr_ = 0, entropy_ = 0, exploration_ = 0, q_lr_ = 0, ensemble_q_ = 0;
};

}  // namespace foxhunt::trainer
