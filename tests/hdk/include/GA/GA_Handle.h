#pragma once

#include <GA/GA_ATINumeric.h>
#include <GA/GA_ATIString.h>

#include <map>

//@ class_g_a___r_o_handle_t_3_01_t_00_01typename_01_s_c_a_l_a_r_07_t_08_01_4; reads any numeric storage as T
template <typename T>
class GA_ROHandleT {
 public:
  //@ class_g_a___r_o_handle_t_3_01_t_00_01typename_01_s_c_a_l_a_r_07_t_08_01_4
  explicit GA_ROHandleT(const GA_Attribute* attrib) : mAttribute(attrib) {}
  //@ class_g_a___r_o_handle_t_3_01_t_00_01typename_01_s_c_a_l_a_r_07_t_08_01_4
  void getBlock(GA_Offset startoff, GA_Size nelements, T* dest, int deststride = 1, int component = 0) const {
    const GA_Attribute& a = *mAttribute;
    std::visit(
        [&](const auto& data) {
          using S = typename std::decay_t<decltype(data)>::value_type;
          if constexpr (std::is_arithmetic_v<S>) {
            const S* from = data.data() + startoff * a.tuple + component;
            for (GA_Size i = 0; i < nelements; ++i) dest[i * deststride] = static_cast<T>(from[i * a.tuple]);
          }
        },
        a.data);
  }

 private:
  const GA_Attribute* mAttribute;
};

//@ class_g_a___r_w_handle_t; the page of the scalar handle could not be read; setBlock as in GA_Handle.h
// since 14
template <typename T>
class GA_RWHandleT {
 public:
  //@ class_g_a___r_w_handle_t
  explicit GA_RWHandleT(GA_Attribute* attrib) : mAttribute(attrib) {}
  //@ class_g_a___r_w_handle_t
  void setBlock(GA_Offset startoff, GA_Size nelements, const T* source, int sourcestride = 1,
                int component = 0) const {
    GA_Attribute& a = *mAttribute;
    std::visit(
        [&](auto& data) {
          using S = typename std::decay_t<decltype(data)>::value_type;
          if constexpr (std::is_arithmetic_v<S>) {
            S* to = data.data() + startoff * a.tuple + component;
            for (GA_Size i = 0; i < nelements; ++i)
              to[i * a.tuple] = static_cast<S>(source[i * sourcestride]);
          }
        },
        a.data);
  }

 private:
  GA_Attribute* mAttribute;
};

//@ class_g_a___r_o_handle_t_holder
class GA_ROHandleS {
 public:
  //@ class_g_a___r_o_handle_t_holder
  explicit GA_ROHandleS(const GA_Attribute* attrib) : mAttribute(attrib) {}
  //@ class_g_a___r_o_handle_t_holder
  const UT_StringHolder& get(GA_Offset off, int comp = 0) const {
    static const UT_StringHolder kEmpty;
    const GA_StringIndexType index = getIndex(off, comp);
    return index < 0 ? kEmpty : mAttribute->strings[index];
  }
  //@ class_g_a___r_o_handle_t_holder; -1 for the empty string
  GA_StringIndexType getIndex(GA_Offset off, int comp = 0) const {
    return std::get<std::vector<int32>>(mAttribute->data)[off * mAttribute->tuple + comp];
  }

 protected:
  const GA_Attribute* mAttribute;
};

//@ class_g_a___r_w_handle_t_holder
class GA_RWHandleS : public GA_ROHandleS {
 public:
  //@ class_g_a___r_w_handle_t_holder
  explicit GA_RWHandleS(GA_Attribute* attrib) : GA_ROHandleS(attrib), mWritable(attrib) {}
  //@ class_g_a___r_w_handle_t_holder
  void set(GA_Offset off, const UT_StringHolder& str) const { set(off, 0, str); }
  //@ class_g_a___r_w_handle_t_holder
  void set(GA_Offset off, int comp, const UT_StringHolder& str) const;
  //@ class_g_a___r_w_handle_t_holder
  void set(GA_Offset off, int comp, GA_StringIndexType idx) const {
    std::get<std::vector<int32>>(mWritable->data)[off * mWritable->tuple + comp] = idx;
  }

 private:
  GA_Attribute* mWritable;
};
