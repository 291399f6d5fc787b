#include "manifest.hpp"

#include "agent.hpp"
#include "classic_control.hpp"
#include "diagnostics.hpp"
#include "environment.hpp"
#include "mamba2.hpp"
#include "network.hpp"
#include "optimizer.hpp"
#include "replay.hpp"

namespace foxhunt {

const compute::KernelLibrary& program_kernels() {
  using namespace kernels;
  static const compute::KernelLibrary library{"foxhunt",
                                              {&observe,
                                               &action_target,
                                               &action_mask,
                                               &account_step,
                                               &cartpole_step,
                                               &acrobot_step,
                                               &acrobot_observe,
                                               &activation_forward,
                                               &activation_backward,
                                               &column_sum_partial,
                                               &column_sum_finish,
                                               &rms_norm_forward,
                                               &rms_norm_backward,
                                               &vsn_select,
                                               &vsn_select_backward,
                                               &mamba_step,
                                               &conv_forward,
                                               &conv_end,
                                               &conv_grad_mixed,
                                               &conv_backward,
                                               &conv_weights_partial,
                                               &gated_norm_forward,
                                               &gated_norm_backward,
                                               &ssd_forward,
                                               &ssd_backward,
                                               &select_action,
                                               &select_from_q,
                                               &thompson_categorical,
                                               &thompson_quantiles,
                                               &shuffled_order,
                                               &gather_rows,
                                               &gather_flags,
                                               &gather_samples,
                                               &gae,
                                               &n_step_returns,
                                               &end_where_truncated,
                                               &masked_moments,
                                               &policy_gradient,
                                               &ensemble_add,
                                               &q_minus_v,
                                               &state_value,
                                               &state_value_errors,
                                               &blend_value,
                                               &cut_value,
                                               &add_gradient,
                                               &stop_beyond,
                                               &ring_slots,
                                               &n_step_windows,
                                               &ring_write,
                                               &ring_sample,
                                               &sequence_write,
                                               &sequence_write_steps,
                                               &sequence_advance,
                                               &sequence_draw,
                                               &sequence_read,
                                               &sequence_read_steps,
                                               &pick_valid,
                                               &gather_transitions,
                                               &scatter_picked,
                                               &adam_begin,
                                               &adam_step,
                                               &soft_update,
                                               &partial_squares,
                                               &balance_observe,
                                               &balance_scale,
                                               &schedule_value,
                                               &advance_step,
                                               &series_sums,
                                               &action_counts,
                                               &account_totals,
                                               &ring_size,
                                               &count_sum,
                                               &recent_returns,
                                               &segment_squares, &segment_change, &record_metrics,
                                               &q_pi_agreement,
                                               &edge_mass},
                                              {}};
  return library;
}

}  // namespace foxhunt
