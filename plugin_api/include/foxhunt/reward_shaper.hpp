#pragma once
#include <array>

#include "declarations.hpp"
#include "option.hpp"

namespace foxhunt {

/// The tensors of one `shape`: the scaled raw rewards of one rollout.
class Shaping {
 public:
  Shaping(const fh_shape_reward& call, Recorder& recorder) : call_(call), recorder_(recorder) {}

  int64_t count() const { return elements(recorder_.shape_of(call_.reward)); }
  fh_tensor reward() const { return call_.reward; }                                ///< [in]  f32 [n]
  fh_tensor shaped() const { return call_.shaped; }                                ///< [out] f32 [n]
  fh_tensor controller(Controller c) const { return call_.controllers[c.index]; }  ///< [inout]
  /// Otherwise the controllers are used as they are.
  bool update_controllers() const { return call_.update_controllers != 0; }
  fh_tensor step() const { return call_.step; }  ///< [in] u64: the iteration, in device memory
  uint32_t salt() const { return call_.salt; }

 private:
  const fh_shape_reward& call_;
  Recorder& recorder_;
};

/// Base of a reward shaper: as QHead, with `shape` as its work.
class RewardShaper {
 public:
  static constexpr std::array<fh_option, 0> options{};
  static constexpr std::array<const fh_kernel*, 0> kernels{};

  RewardShaper() = default;
  RewardShaper(const RewardShaper&) = delete;
  RewardShaper& operator=(const RewardShaper&) = delete;
  virtual ~RewardShaper() = default;
  virtual void shape(Recorder& r, const Shaping& call) = 0;

  const Declarations& declared() const { return declared_; }

 protected:
  /// A tensor of state, carried from rollout to rollout and kept in the checkpoint.
  Controller controller(const char* name, const fh_shape& s, fh_dtype dtype, double initial) {
    return declared_.controller(name, s, dtype, initial);
  }
  void constants(std::vector<fh_constant> all) { declared_.constants(std::move(all)); }
  const std::vector<fh_constant>& constants() const { return declared_.constants(); }

 private:
  Declarations declared_;
};

}  // namespace foxhunt
