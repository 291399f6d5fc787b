#pragma once
/// The C++ layer over abi.h: all a plugin includes. Header-only; nothing of it crosses the boundary.
///
///   class MyHead final : public foxhunt::QHead { … };
///   FOXHUNT_PLUGIN(MyHead, "my_head", "1.0.0", "What it does, in one line")
#include <algorithm>
#include <cstring>
#include <exception>
#include <type_traits>

#include "descriptor.hpp"
#include "kernel.hpp"
#include "plugin_sources.hpp"
#include "position_sizer.hpp"
#include "q_head.hpp"
#include "recorder.hpp"
#include "reward_shaper.hpp"
#include "select.hpp"

namespace foxhunt::detail {

inline void tell(fh_message* message, const char* text) noexcept {
  if (!message || !message->text || message->capacity == 0) return;
  const size_t n = std::min<size_t>(std::strlen(text), message->capacity - 1);
  std::memcpy(message->text, text, n);
  message->text[n] = 0;
}

/// Runs `work`; an exception ends here, as a status and a text.
template <class Work>
fh_status guard(fh_message* message, Work&& work) noexcept {
  try {
    work();
    return FH_OK;
  } catch (const std::exception& e) {
    tell(message, e.what());
  } catch (...) {
    tell(message, "an exception that is not a std::exception");
  }
  return FH_ERROR;
}

/// Scratch memory of calls with different numbers of rows has different names.
inline Recorder recorder_for(const char* call, fh_recorder* r, const fh_recorder_api* api, fh_tensor rows) {
  Recorder plain(r, api);
  const fh_shape s = plain.shape_of(rows);
  return Recorder(r, api, std::string(call) + "_" + std::to_string(s.rank == 0 ? 1 : s.dim[0]) + "/");
}

/// The functions that all three kinds have. `Base` is the type behind `void* self`.
template <class Class, class Base>
struct Common {
  static fh_status create(const fh_create* c, void** self, fh_message* m) noexcept {
    return guard(m, [&] {
      const Create values(*c, Class::options.data(), static_cast<uint32_t>(Class::options.size()));
      *self = static_cast<Base*>(new Class(values));
    });
  }
  static void destroy(void* self) noexcept { delete static_cast<Base*>(self); }
  static const Declarations& declared(void* self) noexcept { return static_cast<Base*>(self)->declared(); }
  static fh_list parameters(void* self) noexcept { return declared(self).parameter_list(); }
  static fh_list controllers(void* self) noexcept { return declared(self).controller_list(); }
  static fh_list outputs(void* self) noexcept { return declared(self).output_list(); }
  static fh_list constants(void* self) noexcept { return declared(self).constant_list(); }
  static fh_shape target_shape(void* self) noexcept { return declared(self).target; }
  static uint32_t reads(void* self) noexcept { return declared(self).reads; }
};

template <class Class>
struct HeadTable : Common<Class, QHead> {
  using C = Common<Class, QHead>;
  static constexpr fh_kind kind = FH_Q_HEAD;
  static fh_status infer(void* self, fh_recorder* r, const fh_recorder_api* api, const fh_infer* call,
                         fh_message* m) noexcept {
    return guard(m, [&] {
      Recorder recorder = recorder_for("infer", r, api, call->h);
      static_cast<QHead*>(self)->infer(recorder, Infer(*call, recorder, C::declared(self)));
    });
  }
  static fh_status learn(void* self, fh_recorder* r, const fh_recorder_api* api, const fh_learn* call,
                         fh_message* m) noexcept {
    return guard(m, [&] {
      Recorder recorder = recorder_for("learn", r, api, call->h);
      static_cast<QHead*>(self)->learn(recorder, Learn(*call, recorder, C::declared(self)));
    });
  }
  static constexpr fh_q_head table = {sizeof(fh_q_head),
                                      0,
                                      C::create,
                                      C::destroy,
                                      C::parameters,
                                      C::controllers,
                                      C::outputs,
                                      C::constants,
                                      C::target_shape,
                                      infer,
                                      learn,
                                      C::reads};
  static void enter(fh_plugin& p) { p.api.q_head = &table; }
};

template <class Class>
struct ShaperTable : Common<Class, RewardShaper> {
  using C = Common<Class, RewardShaper>;
  static constexpr fh_kind kind = FH_REWARD_SHAPER;
  static fh_status shape(void* self, fh_recorder* r, const fh_recorder_api* api, const fh_shape_reward* call,
                         fh_message* m) noexcept {
    return guard(m, [&] {
      Recorder recorder = recorder_for("shape", r, api, call->reward);
      static_cast<RewardShaper*>(self)->shape(recorder, Shaping(*call, recorder));
    });
  }
  static constexpr fh_reward_shaper table = {
      sizeof(fh_reward_shaper), 0, C::create, C::destroy, C::controllers, C::constants, shape};
  static void enter(fh_plugin& p) { p.api.reward_shaper = &table; }
};

template <class Class>
struct SizerTable : Common<Class, PositionSizer> {
  using C = Common<Class, PositionSizer>;
  static constexpr fh_kind kind = FH_POSITION_SIZER;
  static fh_status apply(void* self, fh_recorder* r, const fh_recorder_api* api, const fh_size_position* call,
                         fh_message* m) noexcept {
    return guard(m, [&] {
      Recorder recorder = recorder_for("apply", r, api, call->action);
      static_cast<PositionSizer*>(self)->apply(recorder, Sizing(*call, recorder));
    });
  }
  static constexpr fh_position_sizer table = {
      sizeof(fh_position_sizer), Class::needs, C::create, C::destroy, C::constants, apply};
  static void enter(fh_plugin& p) { p.api.position_sizer = &table; }
};

template <class Class>
using Table = std::conditional_t<
    std::is_base_of_v<QHead, Class>, HeadTable<Class>,
    std::conditional_t<std::is_base_of_v<RewardShaper, Class>, ShaperTable<Class>, SizerTable<Class>>>;

template <class Class>
const fh_plugin* plugin() noexcept {
  static_assert(std::is_base_of_v<QHead, Class> || std::is_base_of_v<RewardShaper, Class> ||
                    std::is_base_of_v<PositionSizer, Class>,
                "a plugin's class derives from QHead, RewardShaper or PositionSizer");
  static const fh_plugin entry = [] {
    fh_plugin p{};
    p.size = sizeof(fh_plugin);
    p.kind = Table<Class>::kind;
    p.options = Class::options.data();
    p.option_count = static_cast<uint32_t>(Class::options.size());
    p.kernels = Class::kernels.data();
    p.kernel_count = static_cast<uint32_t>(Class::kernels.size());
    p.sources = foxhunt_plugin_sources;
    p.source_count = foxhunt_plugin_sources ? foxhunt_plugin_source_count : 0;
    Table<Class>::enter(p);
    return p;
  }();
  return &entry;
}

}  // namespace foxhunt::detail

#ifdef __clang__
#define FOXHUNT_PLAIN_DATA \
  __attribute__((no_sanitize("address")))  // no red zone: the section has an exact size
#else
#define FOXHUNT_PLAIN_DATA
#endif

/// Makes `Class` the plugin of this shared object: descriptor and entry function. Once per shared object, at
/// namespace scope. Name, version and description are string literals.
#define FOXHUNT_PLUGIN(Class, name, version, description)                                            \
  extern "C" {                                                                                       \
  __attribute__((visibility("default"))) extern const fh_descriptor foxhunt_plugin_descriptor;       \
  __attribute__((visibility("default"))) const fh_plugin* foxhunt_plugin_entry();                    \
  __attribute__((section(FH_SECTION), used))                                                         \
  FOXHUNT_PLAIN_DATA constinit const fh_descriptor foxhunt_plugin_descriptor =                       \
      ::foxhunt::make_descriptor(::foxhunt::detail::Table<Class>::kind, name, version, description); \
  const fh_plugin* foxhunt_plugin_entry() { return ::foxhunt::detail::plugin<Class>(); }             \
  }
