#include <atomic>

#include "recording_impl.hpp"

namespace foxhunt::compute {
namespace {

constexpr uint32_t index_bits = 20;
constexpr fh_tensor index_mask = (1u << index_bits) - 1;

fh_tensor next_tag() {
  static std::atomic<uint32_t> recordings{0};
  return (recordings.fetch_add(1) % 4095 + 1) << index_bits;
}

// Kernels of one file are compiled together, so they must agree on what they are compiled with.
void check_library(const KernelLibrary& library) {
  for (const fh_kernel* k : library.kernels) {
    if (k->block < 1 || k->block > 1024)
      throw Error(library.owner + ": kernel '" + k->entry + "' declares " + std::to_string(k->block) +
                  " threads per block; 1 to 1024 are possible.");
    for (const fh_kernel* first : library.kernels) {
      if (std::string_view(first->file) != k->file) continue;
      bool same = first->constant_count == k->constant_count;
      for (uint32_t i = 0; same && i < k->constant_count; ++i)
        same = std::string_view(first->constants[i]) == k->constants[i];
      if (!same)
        throw Error(
            library.owner + ": kernels '" + first->entry + "' and '" + k->entry + "' of file '" + k->file +
            "' declare different constants. Kernels of one file are compiled together: give both the same "
            "list, or move one to another file.");
      break;
    }
  }
}

}  // namespace

Recording::Impl::Impl(Program& program_, Tensors& tensors_, const KernelLibrary& library_, Identity identity_)
    : program(program_),
      tensors(tensors_),
      library(library_),
      identity(std::move(identity_)),
      tag(next_tag()) {
  check_library(library);
}

void Recording::Impl::refuse(const std::string& why) const {
  const std::string who =
      identity.owner.empty() ? library.owner : identity.owner + " (" + library.owner + ")";
  throw Error(who + ", step '" + identity.step + "': " + why);
}

fh_tensor Recording::Impl::give(const Operand& operand, bool writable) {
  if (operand.tensor == 0 || operand.tensor > tensors.count())
    refuse("an unknown tensor is passed to the recording.");
  if (handles.size() >= index_mask) refuse("more than a million handles in one recording.");
  handles.push_back({operand, writable});
  return tag | static_cast<fh_tensor>(handles.size());
}

const Recording::Impl::Handle& Recording::Impl::get(fh_tensor handle, const std::string& use) const {
  const fh_tensor index = handle & index_mask;
  if (handle == 0) refuse(use + " is no tensor (handle 0).");
  if ((handle & ~index_mask) != tag || index == 0 || index > handles.size())
    refuse(use +
           " is not a handle of this recording. Handles are valid only in the recorder that gave them.");
  return handles[index - 1];
}

const Recording::Impl::Handle& Recording::Impl::get_writable(fh_tensor handle, const std::string& use) const {
  const Handle& h = get(handle, use);
  if (!h.writable)
    refuse(use + " is written, but tensor '" + name(h.operand) +
           "' may only be read here. Write to an output that was handed over for writing, or to scratch.");
  return h;
}

fh_tensor Recording::Impl::scratch(const char* name, uint32_t dtype, const fh_shape& shape) {
  if (!name || !*name) refuse("scratch without a name.");
  const std::string full = identity.prefix.empty() ? name : identity.prefix + "/" + name;
  if (dtype > FH_U64)
    refuse("scratch '" + full + "' has the unknown type number " + std::to_string(dtype) + ".");
  if (const TensorId id = tensors.find(full)) {
    const TensorSpec& old = tensors[id];
    bool same = old.lifetime == Lifetime::scratch && old.dtype == static_cast<fh_dtype>(dtype) &&
                old.shape.rank == shape.rank;
    for (uint32_t i = 0; same && i < shape.rank; ++i) same = old.shape.dim[i] == shape.dim[i];
    if (!same)
      refuse("scratch '" + full + "' is asked for as " + name_of(static_cast<fh_dtype>(dtype)) + " " +
             to_string(shape) + ", but exists as " + name_of(old.dtype) + " " + to_string(old.shape) +
             (old.lifetime == Lifetime::scratch ? ". Use another name."
                                                : ", which is not scratch. Use another name."));
    return give({id, 0, shape}, true);
  }
  check_shape(shape, "scratch '" + full + "'");
  TensorSpec spec;
  spec.name = full;
  spec.dtype = static_cast<fh_dtype>(dtype);
  spec.shape = shape;
  return give({tensors.add(std::move(spec)), 0, shape}, true);
}

fh_tensor Recording::Impl::view(fh_tensor handle, int64_t offset, const fh_shape& shape) {
  const Handle& whole = get(handle, "the tensor of a view");
  check_shape(shape, "a view of '" + name(whole.operand) + "'");
  const int64_t available = elements_of(whole.operand.shape), wanted = elements_of(shape);
  if (offset < 0 || offset > available || wanted > available - offset)
    refuse("a view of shape " + to_string(shape) + " from element " + std::to_string(offset) +
           " on reaches beyond '" + name(whole.operand) + "' of shape " + to_string(whole.operand.shape) +
           ".");
  return give({whole.operand.tensor, whole.operand.offset + offset, shape}, whole.writable);
}

fh_tensor Recording::Impl::noise(const char* name, const fh_shape& shape, uint32_t& filled) {
  if (!name || !*name) refuse("random numbers without a name.");
  check_shape(shape, std::string("random numbers '") + name + "'");
  const Noise given = noise_source ? noise_source(name, shape) : Noise{};
  filled = given.tensor != 0 && given.filled;
  return given.tensor == 0 ? 0 : give({given.tensor, 0, shape}, filled == 0);
}

void Recording::Impl::push(Op op) {
  op.step = identity.step;
  op.owner = identity.owner;
  program.ops.push_back(std::move(op));
}

// ---- the C ABI ----

namespace {

// Nothing may be thrown across the boundary.
template <class F>
fh_status guarded(fh_recorder* r, F&& body) noexcept {
  try {
    body();
    return FH_OK;
  } catch (const std::exception& e) {
    try {
      r->error = e.what();
    } catch (...) {
      r->error.clear();
    }
  } catch (...) {
    r->error = "unknown error";
  }
  return FH_ERROR;
}

}  // namespace

const fh_recorder_api& Recording::Impl::api() {
  static const fh_recorder_api table = {
      sizeof(fh_recorder_api),
      0,
      [](fh_recorder* r, const char* name, uint32_t dtype, const fh_shape* shape, fh_tensor* out) {
        return guarded(r, [&] { *out = static_cast<Impl*>(r)->scratch(name, dtype, *shape); });
      },
      [](fh_recorder* r, fh_tensor tensor, int64_t offset, const fh_shape* shape, fh_tensor* out) {
        return guarded(r, [&] { *out = static_cast<Impl*>(r)->view(tensor, offset, *shape); });
      },
      [](fh_recorder* r, fh_tensor tensor, fh_shape* out) {
        return guarded(
            r, [&] { *out = static_cast<Impl*>(r)->get(tensor, "the argument of shape()").operand.shape; });
      },
      [](fh_recorder* r, const fh_launch* l) {
        return guarded(r, [&] { static_cast<Impl*>(r)->launch(*l); });
      },
      [](fh_recorder* r, const fh_gemm* g) { return guarded(r, [&] { static_cast<Impl*>(r)->gemm(*g); }); },
      [](fh_recorder* r, fh_tensor to, double value) {
        return guarded(r, [&] { static_cast<Impl*>(r)->fill(to, value); });
      },
      [](fh_recorder* r, fh_tensor to, fh_tensor from) {
        return guarded(r, [&] { static_cast<Impl*>(r)->copy(to, from); });
      },
      [](fh_recorder* r, const char* purpose, uint32_t key[2]) {
        return guarded(r, [&] {
          auto* self = static_cast<Impl*>(r);
          if (!purpose || !*purpose) self->refuse("a random stream without a purpose.");
          const Recorder::Key k = stream_key(self->identity.seed, self->identity.prefix + "/" + purpose);
          key[0] = k.k[0];
          key[1] = k.k[1];
        });
      },
      [](fh_recorder* r) { return r->error.c_str(); },
      [](fh_recorder* r, const char* name, const fh_shape* shape, fh_tensor* out, uint32_t* filled) {
        return guarded(r, [&] { *out = static_cast<Impl*>(r)->noise(name, *shape, *filled); });
      }};
  return table;
}

Recording::Recording(Program& program, Tensors& tensors, const KernelLibrary& library, Identity identity)
    : impl_(std::make_unique<Impl>(program, tensors, library, std::move(identity))) {}
Recording::~Recording() = default;

fh_tensor Recording::read(TensorId id) {
  return read(Operand{id, 0, id && id <= impl_->tensors.count() ? impl_->tensors[id].shape : fh_shape{}});
}
fh_tensor Recording::write(TensorId id) {
  return write(Operand{id, 0, id && id <= impl_->tensors.count() ? impl_->tensors[id].shape : fh_shape{}});
}
fh_tensor Recording::read(const Operand& operand) { return impl_->give(operand, false); }
fh_tensor Recording::write(const Operand& operand) { return impl_->give(operand, true); }
Operand Recording::operand(fh_tensor handle) const {
  return impl_->get(handle, "the argument of operand()").operand;
}
Recorder Recording::recorder() { return Recorder(impl_.get(), &Impl::api()); }
void Recording::set_noise_source(NoiseSource source) { impl_->noise_source = std::move(source); }
void Recording::set_step(std::string step) { impl_->identity.step = std::move(step); }

}  // namespace foxhunt::compute
