#include "fill_log.hpp"

#include <foxhunt/error.hpp>

#include "../common/text.hpp"

namespace foxhunt::trainer {

FillLog::FillLog(std::filesystem::path path) : path_(std::move(path)) {
  if (std::filesystem::exists(path_)) throw Error(text(path_, " exists; fills are never written over another file"));
  out_.open(path_, std::ios::binary);
  if (!out_) throw Error(text("cannot make ", path_, " for the fills; does its folder exist?"));
  out_ << "step,account,row,lots,value_ticks,fee_usd\n";
}

void FillLog::write(const Fill& f) {
  out_ << text(f.step, ',', f.account, ',', f.row, ',', f.lots, ',', f.value_ticks, ',', f.fee_usd, '\n');
}

void FillLog::finish() {
  out_.close();
  if (!out_) throw Error(text("not all fills could be written to ", path_, "; is the disk full?"));
}

}  // namespace foxhunt::trainer
