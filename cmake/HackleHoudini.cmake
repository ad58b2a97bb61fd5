# Houdini 19.5 to 21 in place of Debian's OpenVDB, TBB and fmt, with the ABI that Houdini was built with. Makes the
# targets OpenVDB::openvdb, TBB::tbb and fmt::fmt that the rest of the build links, and links qhull, Blosc, libpng and
# zlib into our library where nobody sees them. Needs HFS or Houdini_DIR.
if(NOT DEFINED HFS)
  set(HFS "$ENV{HFS}")
endif()
if(HFS)
  list(PREPEND CMAKE_PREFIX_PATH "${HFS}/toolkit/cmake")
endif()
find_package(Houdini QUIET)
if(NOT Houdini_FOUND)
  message(FATAL_ERROR "No Houdini was found. Set HFS to its folder (the one with bin/hython) or Houdini_DIR to its "
    "toolkit/cmake, or build without -DHACKLE_HOUDINI=ON.")
endif()
if(NOT HFS)
  get_filename_component(HFS "${Houdini_DIR}/../.." ABSOLUTE)
endif()
if(Houdini_VERSION VERSION_LESS 19.5)
  message(FATAL_ERROR "Hackle needs Houdini 19.5 or later; ${HFS} is ${Houdini_VERSION}.")
endif()
message(STATUS "Houdini ${Houdini_VERSION} in ${HFS}")

# The C++ ABI is not the same in all versions: read it, with any other such switch, from Houdini's own target.
get_target_property(houdini_options Houdini INTERFACE_COMPILE_OPTIONS)
get_target_property(houdini_definitions Houdini INTERFACE_COMPILE_DEFINITIONS)
foreach(flag ${houdini_options} ${houdini_definitions})
  if(flag MATCHES "_GLIBCXX_USE_CXX11_ABI=([01])")
    add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=${CMAKE_MATCH_1})
    message(STATUS "Houdini's C++ ABI: ${CMAKE_MATCH_1}")
    break()
  endif()
endforeach()
# Other compilers have other warnings.
set(HACKLE_WERROR OFF)

# Houdini's own OpenVDB and TBB, the same way in all versions. Its folder of headers has much else (zlib, libpng, perhaps
# Eigen) in versions of its own, so only the sources that include OpenVDB or TBB see it, behind everything else:
# HACKLE_HOUDINI_INCLUDE is for them.
set(HACKLE_HOUDINI_INCLUDE "-isystem${HFS}/toolkit/include")
function(hackle_houdini_library target name)
  find_library(HACKLE_HOUDINI_${name} NAMES ${name} ${ARGN} PATHS "${HFS}/dsolib" NO_DEFAULT_PATH REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(${target} INTERFACE ${HACKLE_HOUDINI_${name}})
endfunction()
hackle_houdini_library(TBB::tbb tbb tbb12)
hackle_houdini_library(OpenVDB::openvdb openvdb_sesi)
target_link_libraries(OpenVDB::openvdb INTERFACE TBB::tbb)

# Debian's libfmt has the new ABI; its headers have any.
find_path(HACKLE_FMT_INCLUDE fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(fmt::fmt SYSTEM INTERFACE ${HACKLE_FMT_INCLUDE})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

# Libraries that Houdini has too, in versions of its own, or that a machine with Houdini need not have: their archives go
# into our library, hidden. Distributions compile archives for programs, not for shared libraries; of all they refer to
# only the standard streams cannot be reached from one, so these are renamed to variables of ours (standard_streams.cpp).
# Where an archive is missing the shared library is taken, and the package needs it on every machine.
find_program(HACKLE_OBJCOPY objcopy REQUIRED)
set(HACKLE_HIDDEN_LIBRARIES)
set(HACKLE_VISIBLE_LIBRARIES)
foreach(library "qhullstatic_r|qhull_r" "blosc|blosc" "png16|png16" "z|z" "lz4|lz4" "zstd|zstd" "snappy|snappy")
  string(REGEX REPLACE "\\|.*" "" archive ${library})
  string(REGEX REPLACE ".*\\|" "" shared ${library})
  find_library(HACKLE_ARCHIVE_${archive} NAMES lib${archive}.a)
  if(HACKLE_ARCHIVE_${archive})
    set(hidden ${CMAKE_BINARY_DIR}/hidden/lib${archive}.a)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/hidden)
    execute_process(COMMAND ${HACKLE_OBJCOPY} --redefine-sym stdin=hackle_stdin --redefine-sym stdout=hackle_stdout
      --redefine-sym stderr=hackle_stderr ${HACKLE_ARCHIVE_${archive}} ${hidden} COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND HACKLE_HIDDEN_LIBRARIES ${hidden})
  else()
    find_library(HACKLE_SHARED_${shared} NAMES ${shared})
    if(HACKLE_SHARED_${shared})
      list(APPEND HACKLE_HIDDEN_LIBRARIES ${HACKLE_SHARED_${shared}})
      list(APPEND HACKLE_VISIBLE_LIBRARIES ${shared})
    endif()
  endif()
endforeach()
if(HACKLE_VISIBLE_LIBRARIES)
  message(WARNING "There are no archives of ${HACKLE_VISIBLE_LIBRARIES}: the package will need these shared libraries on "
    "every machine that runs it. docs/houdini.md lists the packages that have them.")
endif()

# Houdini's libraries need others of its own: the linker looks for them there, and programs of the build find them at run
# time, also those that only a library asks for, which the newer kind of run path does not give. What is installed finds
# its own library and lets Houdini bring the rest; the program brings them from this Houdini.
add_link_options("LINKER:-rpath-link,${HFS}/dsolib" "LINKER:--disable-new-dtags")
set(CMAKE_BUILD_RPATH "${HFS}/dsolib")
set(HACKLE_PROGRAM_RPATH ";${HFS}/dsolib")
set(HACKLE_TESTS OFF)
foreach(folder LIB BIN INCLUDE)
  string(TOLOWER ${folder} name)
  set(CMAKE_INSTALL_${folder}DIR hackle/${name})
endforeach()

# Houdini's Python, unless another is named. Its headers are with those of the toolkit.
if(NOT DEFINED Python_EXECUTABLE)
  file(GLOB pythons "${HFS}/python/bin/python3.[0-9]*")
  list(FILTER pythons EXCLUDE REGEX "config|gdb")
  if(pythons)
    list(GET pythons 0 Python_EXECUTABLE)
  endif()
endif()
if(NOT DEFINED Python_INCLUDE_DIR AND Python_EXECUTABLE MATCHES "(python3\\.[0-9]+)$")
  foreach(folder toolkit/include/${CMAKE_MATCH_1} python/include/${CMAKE_MATCH_1})
    if(EXISTS "${HFS}/${folder}/Python.h")
      set(Python_INCLUDE_DIR "${HFS}/${folder}")
      break()
    endif()
  endforeach()
endif()
