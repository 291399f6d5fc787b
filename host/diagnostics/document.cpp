#include "document.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/files.hpp"

namespace foxhunt::diagnostics {

using Json = nlohmann::ordered_json;

struct Document::Impl {
  Json json = Json::object();
};

namespace {

Json to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace

Document::Document() : impl_(std::make_unique<Impl>()) {}
Document::Document(const Document& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Document::Document(Document&&) noexcept = default;
Document::~Document() = default;
Document& Document::operator=(Document other) noexcept {
  impl_.swap(other.impl_);
  return *this;
}

Document& Document::add_flag(std::string_view key, bool value) {
  impl_->json[std::string(key)] = value;
  return *this;
}
Document& Document::add_integer(std::string_view key, std::int64_t value) {
  impl_->json[std::string(key)] = value;
  return *this;
}
Document& Document::add_real(std::string_view key, double value) {
  impl_->json[std::string(key)] = to_json(value);
  return *this;
}
Document& Document::add_text(std::string_view key, std::string_view value) {
  impl_->json[std::string(key)] = std::string(value);
  return *this;
}
Document& Document::add(std::string_view key, const Document& value) {
  impl_->json[std::string(key)] = value.impl_->json;
  return *this;
}
Document& Document::add(std::string_view key, const std::vector<Document>& values) {
  Json& array = impl_->json[std::string(key)] = Json::array();
  for (const Document& value : values) array.push_back(value.impl_->json);
  return *this;
}
Document& Document::add(std::string_view key, const std::vector<std::string>& values) {
  impl_->json[std::string(key)] = values;
  return *this;
}
Document& Document::add(std::string_view key, const std::vector<double>& values) {
  Json& array = impl_->json[std::string(key)] = Json::array();
  for (const double value : values) array.push_back(to_json(value));
  return *this;
}

std::optional<Document> Document::parse(std::string_view json) {
  Document document;
  document.impl_->json = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  return document.impl_->json.is_object() ? std::optional(std::move(document)) : std::nullopt;
}

namespace {
const Json& member(const Json& object, std::string_view key) {
  static const Json none;
  const auto found = object.find(std::string(key));
  return found == object.end() ? none : *found;
}
}  // namespace

std::optional<std::string> Document::text(std::string_view key) const {
  const Json& value = member(impl_->json, key);
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}
std::optional<double> Document::number(std::string_view key) const {
  const Json& value = member(impl_->json, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}
bool Document::flag(std::string_view key) const {
  const Json& value = member(impl_->json, key);
  return value.is_boolean() && value.get<bool>();
}
std::optional<Document> Document::object(std::string_view key) const {
  const Json& value = member(impl_->json, key);
  if (!value.is_object()) return std::nullopt;
  Document found;
  found.impl_->json = value;
  return found;
}
std::vector<Document> Document::objects(std::string_view key) const {
  std::vector<Document> result;
  const Json& array = member(impl_->json, key);
  for (const Json& value : array.is_array() ? array : Json::array())
    if (value.is_object()) result.emplace_back().impl_->json = value;
  return result;
}
std::vector<std::string> Document::texts(std::string_view key) const {
  std::vector<std::string> result;
  const Json& array = member(impl_->json, key);
  for (const Json& value : array.is_array() ? array : Json::array())
    if (value.is_string()) result.push_back(value.get<std::string>());
  return result;
}

std::string Document::str() const {
  // Paths and messages of the system may hold any bytes; JSON is UTF-8.
  return impl_->json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Document::write(const std::filesystem::path& path) const { write_file_atomic(path, str()); }

}  // namespace foxhunt::diagnostics
