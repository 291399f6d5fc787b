#include "market/text.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

namespace foxhunt::market {
namespace {

std::string padded(int64_t value, int width) {
  std::string s = std::to_string(value);
  return s.size() < static_cast<size_t>(width) ? std::string(static_cast<size_t>(width) - s.size(), '0') + s
                                               : s;
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

std::string shortest(double value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

std::string grouped(int64_t value) {
  std::string s = std::to_string(value);
  const size_t first = s[0] == '-' ? 1 : 0;
  for (size_t i = s.size(); i > first + 3;) s.insert(i -= 3, 1, ',');
  return s;
}

std::string utc(int64_t ns) {
  using namespace std::chrono;
  const sys_time<nanoseconds> t{nanoseconds{ns}};
  const auto day = floor<days>(t);
  const year_month_day date{day};
  const hh_mm_ss clock{t - day};
  return padded(static_cast<int>(date.year()), 4) + "-" + padded(static_cast<unsigned>(date.month()), 2) +
         "-" + padded(static_cast<unsigned>(date.day()), 2) + " " + padded(clock.hours().count(), 2) + ":" +
         padded(clock.minutes().count(), 2) + ":" + padded(clock.seconds().count(), 2) + "." +
         padded(clock.subseconds().count(), 9) + " UTC";
}

std::string duration(int64_t ns) {
  if (ns < 0) return duration(-ns).insert(0, 1, '-');
  if (ns < 1000) return std::to_string(ns) + " ns";
  const auto x = static_cast<double>(ns);
  if (ns < 1'000'000) return fixed(x / 1e3, 1) + " us";
  if (ns < 1'000'000'000) return fixed(x / 1e6, 1) + " ms";
  const int64_t s = ns / 1'000'000'000;
  if (s < 60) return fixed(x / 1e9, 3) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min " + padded(s % 60, 2) + " s";
  if (s < 48 * 3600) return std::to_string(s / 3600) + " h " + padded(s / 60 % 60, 2) + " min";
  return std::to_string(s / 86400) + " days " + padded(s / 3600 % 24, 2) + " h";
}

}  // namespace foxhunt::market
