#pragma once
#include <cstdint>
#include <string>

namespace foxhunt::market {

/// Numbers and times as text, the same under every locale.
std::string fixed(double value, int decimals);
/// Shortest text that reads back as the same double.
std::string shortest(double value);
/// 1234567 -> "1,234,567".
std::string grouped(int64_t value);
/// ns since 1970 -> "2023-12-25 23:00:00.000068972 UTC".
std::string utc(int64_t ns);
/// Nanoseconds as a duration a person can read: "820 ns", "1.5 ms", "2 h 05 min".
std::string duration(int64_t ns);

}  // namespace foxhunt::market
