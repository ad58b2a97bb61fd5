#pragma once

//@ class_s_i_m___engine
class SIM_Engine {};
