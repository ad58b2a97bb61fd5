#pragma once

//@ _g_e_o___volume_options_8h
enum GEO_VolumeVis {
  GEO_VOLUMEVIS_SMOKE,
  GEO_VOLUMEVIS_RAINBOW,
  //@ _g_e_o___volume_options_8h
  GEO_VOLUMEVIS_ISO,
  GEO_VOLUMEVIS_INVISIBLE
};
