#include "foreign_files.hpp"

#include <hdf5.h>

#include <cstdint>
#include <vector>

namespace foxhunt::checkpoints::test {

namespace {

hid_t create(const std::filesystem::path& file) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);  // closing the file closes the types made below
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return id;
}

void write(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape, const void* data,
           hid_t memory = 0) {
  const hid_t space = shape.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, memory ? memory : type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
}

hid_t string_type(std::size_t length) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length);
  return type;
}

void write_unallocated(hid_t file, const char* name, hsize_t count) {
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 1000;
  H5Pset_chunk(creation, 1, &chunk);
  H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Pclose(creation);
  H5Sclose(space);
}

void write_meta(hid_t file, const char* schema, long version) {
  const hid_t meta = H5Gcreate2(file, "meta", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const hid_t text = string_type(64);
  char padded[64] = {};
  for (int i = 0; schema[i] && i < 63; ++i) padded[i] = schema[i];
  hid_t attribute = H5Acreate2(meta, "schema", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, text, padded);
  H5Aclose(attribute);
  attribute = H5Acreate2(meta, "schema_version", H5T_NATIVE_LONG, scalar, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_LONG, &version);
  H5Aclose(attribute);
  H5Tclose(text);
  H5Sclose(scalar);
  H5Gclose(meta);
}

}  // namespace

void write_foreign_file(const std::filesystem::path& file) {
  const hid_t h = create(file);
  const char* texts[] = {"first", "second"};
  write(h, "variable_strings", H5Tcopy(H5T_C_S1), {}, "x");
  H5Ldelete(h, "variable_strings", H5P_DEFAULT);
  write(h, "variable_strings", string_type(H5T_VARIABLE), {2}, texts);
  write(h, "fixed_string", string_type(8), {}, "fixed\0\0");

  struct Point {
    std::int32_t x;
    double y;
  } point{1, 2.5};
  const hid_t compound = H5Tcreate(H5T_COMPOUND, sizeof(Point));
  H5Tinsert(compound, "x", offsetof(Point, x), H5T_NATIVE_INT32);
  H5Tinsert(compound, "y", offsetof(Point, y), H5T_NATIVE_DOUBLE);
  write(h, "compound", compound, {}, &point);
  H5Tcommit2(h, "named_type", compound, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  const hid_t flag = H5Tenum_create(H5T_NATIVE_INT8);
  std::int8_t value = 0;
  H5Tenum_insert(flag, "FALSE", &value);
  value = 1;
  H5Tenum_insert(flag, "TRUE", &value);
  write(h, "flag", flag, {}, &value);

  std::int32_t numbers[] = {1, 2, 3};
  hvl_t list{3, numbers};
  write(h, "lists", H5Tvlen_create(H5T_NATIVE_INT32), {1}, &list);
  const std::vector<std::int16_t> five(32, 7);
  write(h, "five_dimensions", H5T_STD_I16BE, {2, 2, 2, 2, 2}, five.data(), H5T_NATIVE_INT16);
  const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  const float small[] = {0.5f, -2};
  write(h, "half", half, {2}, small, H5T_NATIVE_FLOAT);
  write_unallocated(h, "never_written", 1000000000000000);
  const hid_t null_space = H5Screate(H5S_NULL);
  H5Dclose(H5Dcreate2(h, "null", H5T_IEEE_F32LE, null_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

  hobj_ref_t reference;
  H5Rcreate(&reference, h, "half", H5R_OBJECT, -1);
  write(h, "reference", H5T_STD_REF_OBJ, {}, &reference);
  const hid_t group = H5Gcreate2(h, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(h, "/", group, "cycle", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(h, "/half", group, "second_name", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere", group, "dangling\x1b[31m", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/data", group, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
  H5Fclose(h);
}

void write_schema_file(const std::filesystem::path& file, const char* schema, long version) {
  const hid_t h = create(file);
  write_meta(h, schema, version);
  H5Fclose(h);
}

void write_bomb(const std::filesystem::path& file) {
  const hid_t h = create(file);
  write_meta(h, "foxhunt-checkpoint", 1);
  write_unallocated(h, "w", 10000000000000);
  H5Fclose(h);
}

void write_strings(const std::filesystem::path& file, const char* second) {
  const hid_t h = create(file);
  const char* texts[] = {"first", second};
  write(h, "variable", string_type(H5T_VARIABLE), {2}, texts);
  char fixed[2][16] = {"first"};
  for (int i = 0; second[i] && i < 15; ++i) fixed[1][i] = second[i];
  write(h, "fixed", string_type(16), {2}, fixed);
  H5Fclose(h);
}

}  // namespace foxhunt::checkpoints::test
