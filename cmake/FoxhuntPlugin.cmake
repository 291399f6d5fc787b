# foxhunt_add_plugin(NAME SOURCES file... [KERNELS file...] [KERNEL_ROOT dir])
#
# One plugin, one shared object. Kernel files are embedded as text and compiled when the program runs.
# KERNEL_ROOT is what the kernels' names are relative to (default: the current source folder).
function(foxhunt_add_plugin name)
  cmake_parse_arguments(ARG "" "KERNEL_ROOT" "SOURCES;KERNELS" ${ARGN})
  if(NOT ARG_KERNEL_ROOT)
    set(ARG_KERNEL_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE foxhunt::plugin_api)
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/foxhunt/plugins")
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,-z,relro)

  set(table "")
  set(index 0)
  foreach(kernel IN LISTS ARG_KERNELS)
    cmake_path(ABSOLUTE_PATH kernel BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${ARG_KERNEL_ROOT}" OUTPUT_VARIABLE relative)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    set_property(TARGET ${name} APPEND PROPERTY FOXHUNT_KERNELS "${path}")
    string(APPEND includes
      "__asm__(\".pushsection .rodata\\n.globl foxhunt_kernel_${index}\\n.hidden foxhunt_kernel_${index}\\n\"\n"
      "        \"foxhunt_kernel_${index}: .incbin \\\"${path}\\\"\\n.byte 0\\n.popsection\");\n"
      "extern const char foxhunt_kernel_${index}[];\n")
    string(APPEND table "  {\"${relative}\", foxhunt_kernel_${index}},\n")
    math(EXPR index "${index} + 1")
    set_property(SOURCE "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.c" APPEND PROPERTY OBJECT_DEPENDS "${path}")
  endforeach()
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.c" CONTENT
"/* Generated: the plugin's kernel sources as text. */
#include <foxhunt/abi.h>
${includes}const fh_source foxhunt_plugin_sources[] = {
${table}  {0, 0}};
const uint32_t foxhunt_plugin_source_count = ${index};
")
  target_sources(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.c")
endfunction()
