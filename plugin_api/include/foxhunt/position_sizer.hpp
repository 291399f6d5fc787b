#pragma once
#include <array>

#include "declarations.hpp"
#include "option.hpp"

namespace foxhunt {

/// The tensors of one `apply`. Those of the risk source are there if the sizer's `needs` ask for them, else
/// 0.
class Sizing {
 public:
  Sizing(const fh_size_position& call, Recorder& recorder) : call_(call), recorder_(recorder) {}

  int64_t batch() const { return recorder_.shape_of(call_.action).dim[0]; }
  fh_tensor variance_q() const { return call_.variance_q; }            ///< [in]  f32 [B,N], or 0
  fh_tensor expected_q() const { return call_.expected_q; }            ///< [in]  f32 [B,N], or 0
  fh_tensor log_probs() const { return call_.log_probs; }              ///< [in]  f32 [B,N,Z], or 0
  fh_tensor support() const { return call_.support; }                  ///< [in]  f32 [Z], or 0
  fh_tensor action() const { return call_.action; }                    ///< [in]  i32 [B]
  fh_tensor target_position() const { return call_.target_position; }  ///< [in]  f32 [B], lots asked for
  fh_tensor scale() const { return call_.scale; }                      ///< [out] f32 [B]
  fh_tensor position() const { return call_.position; }  ///< [out] f32 [B], lots before rounding
  fh_tensor step() const { return call_.step; }          ///< [in]  u64
  uint32_t salt() const { return call_.salt; }

 private:
  const fh_size_position& call_;
  Recorder& recorder_;
};

/// Base of a position sizer: as QHead, with `apply` as its work and
/// `static constexpr uint32_t needs = FH_NEEDS_VARIANCE_Q | …` for what it reads of the risk source.
class PositionSizer {
 public:
  static constexpr std::array<fh_option, 0> options{};
  static constexpr std::array<const fh_kernel*, 0> kernels{};
  static constexpr uint32_t needs = 0;

  PositionSizer() = default;
  PositionSizer(const PositionSizer&) = delete;
  PositionSizer& operator=(const PositionSizer&) = delete;
  virtual ~PositionSizer() = default;
  virtual void apply(Recorder& r, const Sizing& call) = 0;

  const Declarations& declared() const { return declared_; }

 protected:
  void constants(std::vector<fh_constant> all) { declared_.constants(std::move(all)); }
  const std::vector<fh_constant>& constants() const { return declared_.constants(); }

 private:
  Declarations declared_;
};

}  // namespace foxhunt
