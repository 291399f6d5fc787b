#include "encoder.hpp"

#include <foxhunt/error.hpp>

#include "../kernels/agent.hpp"
#include "mamba2.hpp"
#include "mlp.hpp"

namespace foxhunt::agent {

void Encoder::Pass::record_start(compute::Recording& recording, const Pass& from, fh_tensor order) {
  Recorder r = recording.recorder();
  const std::vector<compute::TensorId> to = start(), source = from.start();
  for (size_t i = 0; i < to.size(); ++i) {
    const fh_tensor target = recording.write(to[i]), whole = recording.read(source.at(i));
    if (!order) {
      r.copy(target, whole);
      continue;
    }
    const int64_t chosen = r.shape_of(target).dim[0], accounts = r.shape_of(whole).dim[0];
    const int64_t n = elements(r.shape_of(target)), columns = chosen ? n / chosen : 0;
    r.launch(kernels::gather_rows, Grid::elements(n),
             {in(order), in(whole), out(target), i32(1), i32(accounts), i32(chosen), i32(columns)});
  }
}

std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings, ParameterGroup& group) {
  if (settings.kind == "mlp") return make_mlp(settings, group);
  if (settings.kind == "mamba2") return make_mamba2(settings, group);
  throw Error("encoder.kind = '" + settings.kind + "' is not known; this program has: mlp, mamba2");
}

}  // namespace foxhunt::agent
