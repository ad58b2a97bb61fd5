#pragma once

//@ _g_a___primitive_types_8h
enum {
  GA_PRIMNONE = 0,
  //@ _g_a___primitive_types_8h
  GA_PRIMPOLY = 1,
  GA_PRIMSPHERE = 9,
  //@ _g_a___primitive_types_8h
  GA_PRIMVOLUME = 20,
  //@ _g_a___primitive_types_8h
  GA_PRIMTETRAHEDRON = 21,
  //@ _g_a___primitive_types_8h
  GA_PRIMPOLYSOUP = 22,
  //@ _g_a___primitive_types_8h
  GA_PRIMVDB = 23,
  GA_PRIMINTERNALSENTINEL = 26
};
