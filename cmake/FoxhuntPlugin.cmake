# foxhunt_add_plugin(NAME SOURCES file... [KERNELS file...] [KERNEL_ROOT dir] [FOLDER dir] [UNSEALED] [INSTALL])
#
# One plugin, one shared object NAME.so. Kernel files are embedded as text and compiled when the program runs.
#   KERNEL_ROOT  what the kernels' names are relative to (default: the current source folder)
#   FOLDER       where the shared object is written (default: lib/foxhunt/plugins of the build folder)
#   UNSEALED     without the seal that lets the program notice a changed byte
#   INSTALL      also installed, to lib/foxhunt/plugins
function(foxhunt_add_plugin name)
  cmake_parse_arguments(ARG "UNSEALED;INSTALL" "KERNEL_ROOT;FOLDER" "SOURCES;KERNELS" ${ARGN})
  if(NOT ARG_KERNEL_ROOT)
    set(ARG_KERNEL_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER "${CMAKE_BINARY_DIR}/lib/foxhunt/plugins")
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE foxhunt::plugin_api)
  # BUILD_WITH_INSTALL_RPATH: installing then copies the file as it is, so that its seal holds.
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON
    BUILD_WITH_INSTALL_RPATH ON LIBRARY_OUTPUT_DIRECTORY "${ARG_FOLDER}")
  target_link_options(${name} PRIVATE -Wl,-z,relro)
  # clang leaves a sanitizer's symbols to the program; everything else must be resolved when linking.
  if(NOT (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND "${FOXHUNT_SANITIZE}${CMAKE_CXX_FLAGS}" MATCHES "address|thread|sanitize"))
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()

  set(table "")
  set(includes "")
  set(index 0)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.cpp")
  foreach(kernel IN LISTS ARG_KERNELS)
    cmake_path(ABSOLUTE_PATH kernel BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${ARG_KERNEL_ROOT}" OUTPUT_VARIABLE relative)
    set_property(TARGET ${name} APPEND PROPERTY FOXHUNT_KERNELS "${path}")
    string(APPEND includes
      "__asm__(\".pushsection .rodata\\n.globl foxhunt_kernel_${index}\\n.hidden foxhunt_kernel_${index}\\n\"\n"
      "        \"foxhunt_kernel_${index}: .incbin \\\"${path}\\\"\\n.byte 0\\n.popsection\");\n"
      "extern \"C\" __attribute__((visibility(\"hidden\"))) const char foxhunt_kernel_${index}[];\n")
    string(APPEND table "    {\"${relative}\", foxhunt_kernel_${index}},\n")
    math(EXPR index "${index} + 1")
    set_property(SOURCE "${generated}" APPEND PROPERTY OBJECT_DEPENDS "${path}")
  endforeach()
  file(GENERATE OUTPUT "${generated}" CONTENT
"// Generated: the plugin's kernel sources as text.
#include <foxhunt/plugin_sources.hpp>
${includes}
const fh_source foxhunt_plugin_sources[] = {
${table}    {nullptr, nullptr}};
const uint32_t foxhunt_plugin_source_count = ${index};
")
  target_sources(${name} PRIVATE "${generated}")

  if(NOT ARG_UNSEALED)
    target_compile_definitions(${name} PRIVATE FOXHUNT_SEALED)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
      COMMAND "${CMAKE_COMMAND}" -D "FILE=$<TARGET_FILE:${name}>" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/FoxhuntSeal.cmake")
  endif()
  if(ARG_INSTALL)
    include(GNUInstallDirs)
    install(TARGETS ${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/foxhunt/plugins")
    if(NOT ARG_UNSEALED)
      # `cmake --install --strip` has just removed the seal.
      install(CODE "set(FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/foxhunt/plugins/${name}.so\")
        include(\"${CMAKE_CURRENT_FUNCTION_LIST_DIR}/FoxhuntSeal.cmake\")")
    endif()
  endif()
endfunction()

# foxhunt_test_plugin(NAME KIND [SCRIPT]) adds tests of a plugin of this kind (q_head, reward_shaper, position_sizer):
#   NAME_gradients  a head's gradients beside central differences
#   NAME_trains     two iterations of training with it
#   NAME_formulas   `python3 SCRIPT FOXHUNT_PROGRAM FOLDER`; exit code 77 says that it was skipped
function(foxhunt_test_plugin name kind)
  set(folder --plugin-dir "$<TARGET_FILE_DIR:${name}>")
  if(kind STREQUAL "q_head")
    set(use --heads "c51 ${name}")
    add_test(NAME ${name}_gradients COMMAND "${FOXHUNT_PROGRAM}" probe --check-gradients ${name} ${folder})
  elseif(kind STREQUAL "reward_shaper")
    set(use --reward_shaping.plugin ${name})
  elseif(kind STREQUAL "position_sizer")
    set(use --position_sizing.plugin ${name})
  else()
    message(FATAL_ERROR "foxhunt_test_plugin(${name} ${kind}): expected q_head, reward_shaper or position_sizer")
  endif()
  add_test(NAME ${name}_trains COMMAND "${FOXHUNT_PROGRAM}" train ${folder} ${use} --trainer.device cpu --trainer.iterations 2
    --trainer.accounts 32 --replay.start 256 --replay.capacity 2048 --env.rows 8192 --encoder.hidden 16)
  if(ARGC GREATER 2)
    find_program(FOXHUNT_PYTHON python3)
    if(FOXHUNT_PYTHON)
      add_test(NAME ${name}_formulas COMMAND "${FOXHUNT_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${ARGV2}" "${FOXHUNT_PROGRAM}"
        "$<TARGET_FILE_DIR:${name}>")
      set_tests_properties(${name}_formulas PROPERTIES SKIP_RETURN_CODE 77)
    endif()
  endif()
endfunction()
