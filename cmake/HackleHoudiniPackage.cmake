# The plug-in and the package folder around it: hackle.json and hackle/{dso,lib,otls,help,config,pythonX.Ylibs}.
set(HACKLE_PACKAGE ${CMAKE_BINARY_DIR}/package)
file(GLOB HACKLE_SOP_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sop/*.cpp ${CMAKE_SOURCE_DIR}/dop/*.cpp)
add_library(hackle_sop SHARED ${HACKLE_SOP_SOURCES})
target_link_libraries(hackle_sop PRIVATE Houdini hackle_node_text hackle OpenVDB::openvdb fmt::fmt)
# INSTDIR keeps Houdini's macro from asking hython, which would take a licence.
houdini_configure_target(hackle_sop INSTDIR ${HACKLE_PACKAGE}/hackle/dso)
set_target_properties(hackle_sop PROPERTIES OUTPUT_NAME hackle_sop INSTALL_RPATH "$ORIGIN/../lib")

# Assets, help cards and icons come out of the registry.
add_custom_command(OUTPUT ${HACKLE_PACKAGE}/hackle.json
  COMMAND hackle_houdini_package ${HACKLE_PACKAGE} ${Houdini_VERSION}
  DEPENDS hackle_houdini_package
  COMMENT "Writing the Houdini package")
add_custom_target(hackle_package_files ALL DEPENDS ${HACKLE_PACKAGE}/hackle.json)

install(FILES ${HACKLE_PACKAGE}/hackle.json DESTINATION .)
install(DIRECTORY ${HACKLE_PACKAGE}/hackle/otls ${HACKLE_PACKAGE}/hackle/help ${HACKLE_PACKAGE}/hackle/config
  DESTINATION hackle)
install(FILES ${HACKLE_PACKAGE}/hackle/assets.json ${HACKLE_PACKAGE}/hackle/simulation.json DESTINATION hackle)
# Shelf, the networks behind it, and the viewer state. Whatever Python this Houdini has, it looks in one of the folders.
install(FILES ${CMAKE_SOURCE_DIR}/python/houdini/hackle.shelf DESTINATION hackle/toolbar)
install(FILES ${CMAKE_SOURCE_DIR}/python/houdini/hackle_place.py DESTINATION hackle/viewer_states)
foreach(version 3.9 3.10 3.11)
  install(FILES ${CMAKE_SOURCE_DIR}/python/houdini/hackle_tools.py DESTINATION hackle/python${version}libs)
endforeach()
install(TARGETS hackle_sop LIBRARY DESTINATION hackle/dso)
