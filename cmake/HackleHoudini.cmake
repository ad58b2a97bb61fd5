# Houdini 19.5 to 21 in place of Debian's OpenVDB, TBB and fmt, with the ABI that Houdini was built with. Makes the
# targets OpenVDB::openvdb, TBB::tbb and fmt::fmt that the rest of the build links. Needs HFS or Houdini_DIR.
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

# Houdini's own OpenVDB and TBB, the same way in all versions.
function(hackle_houdini_library target name)
  find_library(HACKLE_HOUDINI_${name} NAMES ${name} ${ARGN} PATHS "${HFS}/dsolib" NO_DEFAULT_PATH REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(${target} INTERFACE ${HACKLE_HOUDINI_${name}})
  target_include_directories(${target} SYSTEM INTERFACE "${HFS}/toolkit/include")
endfunction()
hackle_houdini_library(TBB::tbb tbb tbb12)
hackle_houdini_library(OpenVDB::openvdb openvdb_sesi)
target_link_libraries(OpenVDB::openvdb INTERFACE TBB::tbb)

# Debian's libfmt has the new ABI; its headers have any.
find_path(HACKLE_FMT_INCLUDE fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(fmt::fmt SYSTEM INTERFACE ${HACKLE_FMT_INCLUDE})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

# Programs of the build find Houdini's libraries; what is installed finds its own and lets Houdini bring the rest.
set(CMAKE_BUILD_RPATH "${HFS}/dsolib")
set(HACKLE_TESTS OFF)
foreach(folder LIB BIN INCLUDE)
  string(TOLOWER ${folder} name)
  set(CMAKE_INSTALL_${folder}DIR hackle/${name})
endforeach()

# Houdini's Python, unless another is named.
if(NOT DEFINED Python_EXECUTABLE)
  file(GLOB pythons "${HFS}/python/bin/python3.[0-9]*")
  list(FILTER pythons EXCLUDE REGEX "config|gdb")
  if(pythons)
    list(GET pythons 0 Python_EXECUTABLE)
  endif()
endif()
