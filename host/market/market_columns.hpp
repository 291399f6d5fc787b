#pragma once
#include <hdf5.h>

#include "market/market.hpp"

namespace foxhunt::market {

/// One dataset of a market file: its name, its stored type, whether it has a level axis, its unit.
struct ColumnInfo {
  const char* name;
  bool per_level;
  const char* unit;
};

/// Calls visit(info, vector) for every column of `market` that a file holds; `signal` is the last and
/// optional. Writer and reader go through this one list, so they cannot disagree.
template <class M, class Visit>
void for_each_column(M& market, const Visit& visit) {
  visit(ColumnInfo{"ts", false, "ns since 1970-01-01 UTC"}, market.ts);
  visit(ColumnInfo{"ts_event", false, "ns since 1970-01-01 UTC"}, market.ts_event);
  visit(ColumnInfo{"bid_px", true, "ticks"}, market.bid_px);
  visit(ColumnInfo{"ask_px", true, "ticks"}, market.ask_px);
  visit(ColumnInfo{"bid_sz", true, "lots"}, market.bid_sz);
  visit(ColumnInfo{"ask_sz", true, "lots"}, market.ask_sz);
  visit(
      ColumnInfo{
          "flags", false,
          "bits: 1 crossed, 2 locked, 4 one-sided, 8 empty, 16 halted, 32 closed, 64 snapshot, 128 doubtful"},
      market.flags);
  visit(ColumnInfo{"session", false, "trading session, from 0"}, market.session);
  visit(ColumnInfo{"buy_volume", false, "lots since the previous row"}, market.buy_volume);
  visit(ColumnInfo{"sell_volume", false, "lots since the previous row"}, market.sell_volume);
  visit(ColumnInfo{"unsided_volume", false, "lots since the previous row"}, market.unsided_volume);
  visit(ColumnInfo{"signal", false, "the generator's own"}, market.signal);
}

inline hid_t file_type(int64_t) { return H5T_STD_I64LE; }
inline hid_t file_type(int32_t) { return H5T_STD_I32LE; }
inline hid_t file_type(uint32_t) { return H5T_STD_U32LE; }
inline hid_t file_type(uint8_t) { return H5T_STD_U8LE; }
inline hid_t file_type(float) { return H5T_IEEE_F32LE; }
inline hid_t memory_type(int64_t) { return H5T_NATIVE_INT64; }
inline hid_t memory_type(int32_t) { return H5T_NATIVE_INT32; }
inline hid_t memory_type(uint32_t) { return H5T_NATIVE_UINT32; }
inline hid_t memory_type(uint8_t) { return H5T_NATIVE_UINT8; }
inline hid_t memory_type(float) { return H5T_NATIVE_FLOAT; }

}  // namespace foxhunt::market
