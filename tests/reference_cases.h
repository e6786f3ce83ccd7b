// reference_cases.h: which column of a run is which quantity of the independent solution.
//
// Both sides are formulas: of the reference's quantities, and of the columns that holon records.
// The letter says what kind of quantity it is: x position, v velocity, f reaction or force,
// e energy, a acceleration. In accelerations a0, a1 ... are the entries of hn_accelerations().
#ifndef HN_TESTS_REFERENCE_CASES_H
#define HN_TESTS_REFERENCE_CASES_H

#include <stdbool.h>

typedef struct pair {
  char kind;
  const char *reference, *ours;
} pair;

// entries of the rotation matrix of body b; RXY: x component of body y in the world
#define RXX(b) "(1-2*(" b ".q2^2+" b ".q3^2))"
#define RYX(b) "(2*(" b ".q1*" b ".q2+" b ".q0*" b ".q3))"
#define RZX(b) "(2*(" b ".q1*" b ".q3-" b ".q0*" b ".q2))"
#define RXY(b) "(2*(" b ".q1*" b ".q2-" b ".q0*" b ".q3))"
#define RYY(b) "(1-2*(" b ".q1^2+" b ".q3^2))"
#define RZY(b) "(2*(" b ".q2*" b ".q3+" b ".q0*" b ".q1))"
#define RXZ(b) "(2*(" b ".q1*" b ".q3+" b ".q0*" b ".q2))"
#define RYZ(b) "(2*(" b ".q2*" b ".q3-" b ".q0*" b ".q1))"
#define RZZ(b) "(1-2*(" b ".q1^2+" b ".q2^2))"
// angular velocity in body axes
#define WX(b) RXX(b) "*" b ".wx+" RYX(b) "*" b ".wy+" RZX(b) "*" b ".wz"
#define WY(b) RXY(b) "*" b ".wx+" RYY(b) "*" b ".wy+" RZY(b) "*" b ".wz"
#define WZ(b) RXZ(b) "*" b ".wx+" RYZ(b) "*" b ".wy+" RZZ(b) "*" b ".wz"
// tension at the top joint t and the base joint g of rod b, whose axis is body x
#define TOP(t, b)  t ".fx*" RXX(b) "+" t ".fy*" RYX(b) "+" t ".fz*" RZX(b)
#define BASE(g, b) "-(" TOP(g, b) ")"

static const pair four_bar[] = {
    {'x', "crank_angle", "crank.angle"},
    {'x', "coupler_angle", "coupler.angle"},
    {'x', "follower_angle", "follower.angle"},
    {'x', "crank_com_x", "crank.x"},
    {'x', "crank_com_y", "crank.y"},
    {'x', "coupler_com_x", "coupler.x"},
    {'x', "coupler_com_y", "coupler.y"},
    {'x', "follower_com_x", "follower.x"},
    {'x', "follower_com_y", "follower.y"},
    {'v', "crank_rate", "crank.omega"},
    {'v', "coupler_rate", "coupler.omega"},
    {'v', "follower_rate", "follower.omega"},
    {'f', "FA_x", "A.fx"},
    {'f', "FA_y", "A.fy"},
    {'f', "FB_x", "B.fx"},
    {'f', "FB_y", "B.fy"},
    {'f', "FC_x", "C.fx"},
    {'f', "FC_y", "C.fy"},
    {'f', "FD_x", "D.fx"},
    {'f', "FD_y", "D.fy"},
    {'e', "total_energy", "energy.total"},
    {'a', "crank_accel", "a2"},
    {0},
};

// the same linkage of spatial bodies; only what lies in its plane
static const pair four_bar_spatial[] = {
    {'x', "cos(crank_angle)", RXX("crank")},
    {'x', "sin(crank_angle)", RYX("crank")},
    {'x', "coupler_com_x", "coupler.x"},
    {'x', "coupler_com_y", "coupler.y"},
    {'x', "follower_com_x", "follower.x"},
    {'x', "follower_com_y", "follower.y"},
    {'x', "0*crank_angle", "coupler.z"},
    {'v', "crank_rate", "crank.wz"},
    {'v', "coupler_rate", "coupler.wz"},
    {'v', "follower_rate", "follower.wz"},
    {'f', "FA_x", "A.fx"},
    {'f', "FA_y", "A.fy"},
    {'f', "FC_x", "C.fx"},
    {'f', "FC_y", "C.fy"},
    {'f', "FD_x", "D.fx"},
    {'f', "FD_y", "D.fy"},
    {'e', "total_energy", "energy.total"},
    {0},
};

#define CHAIN                                                                                      \
  {'x', "q1", "hinge1.angle"}, {'x', "q2", "hinge2.angle"}, {'x', "q3", "hinge3.angle"},           \
      {'x', "q4", "hinge4.angle"}, {'x', "q5", "hinge5.angle"}, {'x', "com1_x", "bar1.x"},         \
      {'x', "com1_y", "bar1.y"}, {'x', "com1_z", "bar1.z"}, {'x', "com3_x", "bar3.x"},             \
      {'x', "com3_y", "bar3.y"}, {'x', "com3_z", "bar3.z"}, {'x', "com5_x", "bar5.x"},             \
      {'x', "com5_y", "bar5.y"}, {'x', "com5_z", "bar5.z"},                                        \
      {'x', "tip_x", "bar5.x+0.5*" RXX("bar5")}, {'x', "tip_y", "bar5.y+0.5*" RYX("bar5")},        \
      {'x', "tip_z", "bar5.z+0.5*" RZX("bar5")}, {'v', "q1_d", "hinge1.angle_rate"},               \
      {'v', "q2_d", "hinge2.angle_rate"}, {'v', "q3_d", "hinge3.angle_rate"},                      \
      {'v', "q4_d", "hinge4.angle_rate"}, {'v', "q5_d", "hinge5.angle_rate"},                      \
      {'f', "base_force_on_bar1_x", "hinge1.fx"}, {'f', "base_force_on_bar1_y", "hinge1.fy"},      \
      {'f', "base_force_on_bar1_z", "hinge1.fz"}, {                                                \
    'e', "energy", "energy.total"                                                                  \
  }

static const pair chain_planar[] = {
    CHAIN, {'a', "q1_dd", "a4"}, {'a', "q2_dd", "a10-a4"}, {'a', "q5_dd", "a28-a22"}, {0}};
static const pair chain_spatial[] = {CHAIN, {'a', "q1_dd", "a4"}, {0}};

static const pair slider_crank[] = {
    {'x', "crank_angle", "bearing.angle"},
    {'x', "slider_y", "slider.y"},
    {'x', "slider_y", "guide.translation+sqrt(0.29^2-0.25^2)"},
    {'x', "rod_com_x", "rod.x"},
    {'x', "rod_com_y", "rod.y"},
    {'x', "rod_com_z", "rod.z"},
    {'v', "crank_rate", "bearing.angle_rate"},
    {'v', "slider_vy", "slider.vy"},
    {'v', "rod_com_vx", "rod.vx"},
    {'v', "rod_com_vy", "rod.vy"},
    {'v', "rod_com_vz", "rod.vz"},
    {'v', "rod_omega_x", "rod.wx"},
    {'v', "rod_omega_y", "rod.wy"},
    {'v', "rod_omega_z", "rod.wz"},
    {'f', "revolute_force_on_crank_x", "bearing.fx"},
    {'f', "revolute_force_on_crank_y", "bearing.fy"},
    {'f', "revolute_force_on_crank_z", "bearing.fz"},
    {'f', "spherical_force_on_rod_x", "P.fx"},
    {'f', "spherical_force_on_rod_y", "P.fy"},
    {'f', "spherical_force_on_rod_z", "P.fz"},
    {'f', "universal_force_on_rod_x", "S.fx"},
    {'f', "universal_force_on_rod_y", "S.fy"},
    {'f', "universal_force_on_rod_z", "S.fz"},
    // about y x (arm of the cross in the rod, its body -y)
    {'f', "universal_torque_on_rod", "S.tz*" RXY("rod") "-S.tx*" RZY("rod")},
    {'e', "total_energy", "energy.total"},
    {'a', "crank_accel", "a4"},
    {'a', "slider_ay", "a13"},
    {0},
};

static const pair iltis[] = {
    {'x', "arm_angle", "pivot.angle"},
    {'x', "wheel_x", "wheel.x+5*time"},
    {'x', "wheel_y", "wheel.y"},
    {'x', "wheel_z", "wheel.z"},
    {'x', "wheel_q0", "wheel.q0"},
    {'x', "wheel_q1", "wheel.q1"},
    {'x', "wheel_q2", "wheel.q2"},
    {'x', "wheel_q3", "wheel.q3"},
    {'x', "shock_length", "shock_spring.length"},
    {'x', "tyre_gap", "tyre.gap"},
    {'x', "leaf_end_z", "0.455-leaf_spring.fz/35900"},
    {'v', "arm_rate", "pivot.angle_rate"},
    {'v', "wheel_vz", "wheel.vz"},
    {'v', "shock_velocity", "shock_damper.rate"},
    {'f', "F_leaf", "bump_stop.force-leaf_spring.fz"},
    {'f', "F_spring", "shock_spring.force"},
    {'f', "F_damper", "shock_damper.force"},
    {'f', "F_tyre", "tyre.force"},
    {'f', "F_lower_ball_on_wheel_x", "lower_ball.fx"},
    {'f', "F_lower_ball_on_wheel_y", "lower_ball.fy"},
    {'f', "F_lower_ball_on_wheel_z", "lower_ball.fz"},
    {'f', "leaf_axial_force_on_wheel", "-sign(leaf.fy)*hypot(leaf.fy,leaf.fz)"},
    {'f', "leaf_x_force_on_wheel", "leaf.fx"},
    {'f', "tie_rod_force_on_wheel",
     "-sign(tie_rod.fy)*hypot(tie_rod.fx,hypot(tie_rod.fy,tie_rod.fz))"},
    {0},
};

static const pair two_rods[] = {
    {'x', "P_x", "mass.x"},
    {'x', "P_y", "mass.y"},
    {'v', "thetadot", "(mass.x*mass.vy-mass.y*mass.vx)/4"},
    {'f', "F_total", "-((rod1.fx+rod2.fx)*mass.x+(rod1.fy+rod2.fy)*mass.y)/2"},
    {'f', "pin_force_on_rod_x", "rod1.fx+rod2.fx"},
    {'f', "pin_force_on_rod_y", "rod1.fy+rod2.fy"},
    {0},
};

// forces of A, C, E, G are unique up to (1, -1, 1, -1), so sums of neighbours are unique
static const pair parallelogram[] = {
    {'x', "plate_x", "plate.x"},
    {'x', "plate_y", "plate.y"},
    {'x', "plate_z", "plate.z"},
    {'v', "0.5*cos(theta)*thetadot", "plate.vx"},
    {'v', "-0.5*sin(theta)*thetadot", "plate.vy"},
    {'f', "Ntop_K", TOP("L", "rodK")},
    {'f', "Ntop_M", TOP("N", "rodM")},
    {'f', "Nbase_K", BASE("K", "rodK")},
    {'f', "Nbase_M", BASE("M", "rodM")},
    {'f', "Ntop_A+Ntop_C", TOP("B", "rodA") "+" TOP("D", "rodC")},
    {'f', "Ntop_C+Ntop_E", TOP("D", "rodC") "+" TOP("F", "rodE")},
    {'f', "Ntop_E+Ntop_G", TOP("F", "rodE") "+" TOP("H", "rodG")},
    {'f', "Nbase_G+Nbase_A", BASE("G", "rodG") BASE("A", "rodA")},
    {'f', "base_reaction_on_rod_K_x", "K.fx"},
    {'f', "base_reaction_on_rod_K_y", "K.fy"},
    {'f', "base_reaction_on_rod_K_z", "K.fz"},
    {'f', "base_reaction_on_rod_M_x", "M.fx"},
    {'f', "base_reaction_on_rod_M_y", "M.fy"},
    {'f', "base_reaction_on_rod_M_z", "M.fz"},
    {0},
};

static const pair knife_edge[] = {
    {'x', "x", "skate.x"},
    {'x', "y", "skate.y"},
    {'x', "theta", "skate.angle"},
    {'v', "xdot", "skate.vx"},
    {'v', "ydot", "skate.vy"},
    {'v', "thetadot", "skate.omega"},
    {'f', "lateral_force", "blade.fy*cos(skate.angle)-blade.fx*sin(skate.angle)"},
    {'f', "-sin(theta)*lateral_force", "blade.fx"},
    {'f', "cos(theta)*lateral_force", "blade.fy"},
    {'e', "energy", "energy.total"},
    {0},
};

static const pair point_masses[] = {
    {'x', "cos(th1)", "B.x"},
    {'x', "sin(th1)", "B.y"},
    {'x', "C_x", "C.x"},
    {'x', "C_y", "C.y"},
    {'v', "-sin(th1)*th1_d", "B.vx"},
    {'v', "cos(th1)*th1_d", "B.vy"},
    {'v', "-2*sin(th3)*th3_d", "C.vx"},
    {'v', "2*cos(th3)*th3_d", "C.vy"},
    {'f', "coupler_tension", "-(coupler.fx*(C.x-B.x)+coupler.fy*(C.y-B.y))/2"},
    {'e', "energy", "energy.total"},
    {0},
};

static const pair equal_slider_crank[] = {
    {'x', "theta", "bar1.angle"},
    {'x', "slider_x", "bar2.x+0.5*cos(bar2.angle)"},
    {'x', "slider_x", "slider.translation+sqrt(2)"},
    {'x', "rod2_com_x", "bar2.x"},
    {'x', "rod2_com_y", "bar2.y"},
    {'v', "thetadot", "bar1.omega"},
    {'v', "slider_v", "slider.translation_rate"},
    {'f', "elbow_Fx_on_rod2", "elbow.fx"},
    {'e', "energy", "energy.total"},
    {'a', "thetaddot", "a2"},
    {0},
};

#define UPRIGHT_DISK                                                                               \
  {'x', "x", "disk.x"}, {'x', "y", "disk.y"}, {'x', "sin(theta)", "-" RXY("disk")},                \
      {'x', "cos(theta)", RYY("disk")}, {'v', "xdot", "disk.vx"}, {'v', "ydot", "disk.vy"},        \
      {'v', "thetadot", "disk.wz"}, {'v', "phidot", WY("disk")},                                   \
      {'f', "contact_x", "contact.fx+side.fx"}, {                                                  \
    'f', "contact_y", "contact.fy+side.fy"                                                         \
  }

// the reference counts no height above the plane
static const pair disk_flat[] = {UPRIGHT_DISK, {'e', "energy", "energy.total-0.5*9.81"}, {0}};
static const pair disk_incline[] = {
    UPRIGHT_DISK, {'e', "energy", "energy.total-0.5*9.81*cos(pi/6)"}, {0}};

// sums over all joints of the mount; R is a turn about y
#define MOUNT(c) "surge." c "+sway." c "+roll." c "+yaw." c "+heave." c
static const pair ship[] = {
    {'x', "theta", "2*atan2(ship.q2,ship.q0)"},
    {'x', "heave_z", "ship.z"},
    {'x', "com_x", "ship.x+0.15*" RXX("ship") "-0.12*" RXZ("ship")},
    {'x', "com_z", "ship.z+0.15*" RZX("ship") "-0.12*" RZZ("ship")},
    {'v', "theta_d", "ship.wy"},
    {'f', "mount_Fx", MOUNT("fx")},
    {'f', "0*mount_Fx", MOUNT("fy")},
    {'f', "mount_Fz", MOUNT("fz")},
    {'f', "mount_Tx_body", "(" MOUNT("tx") ")*" RXX("ship") "+(" MOUNT("tz") ")*" RZX("ship")},
    {'f', "mount_Tz_body", "(" MOUNT("tx") ")*" RXZ("ship") "+(" MOUNT("tz") ")*" RZZ("ship")},
    {0},
};

static const pair andrews[] = {
    {'x', "beta", "K1.angle"},
    {'x', "Theta", "K2.angle-K1.angle"},
    {'x', "gamma", "K3.angle"},
    {'x', "phi", "K4.angle-K5.angle"},
    {'x', "delta", "K5.angle"},
    {'x', "Omega", "K6.angle-K7.angle"},
    {'x', "epsilon", "K7.angle"},
    {'v', "beta_d", "K1.omega"},
    {'v', "Theta_d", "K2.omega-K1.omega"},
    {'v', "gamma_d", "K3.omega"},
    {'v', "phi_d", "K4.omega-K5.omega"},
    {'v', "delta_d", "K5.omega"},
    {'v', "Omega_d", "K6.omega-K7.omega"},
    {'v', "epsilon_d", "K7.omega"},
    {'f', "lambda1", "E3.fx"},
    {'f', "lambda2", "E3.fy"},
    {'f', "lambda3", "E4.fx"},
    {'f', "lambda4", "E4.fy"},
    {'f', "lambda5", "E6.fx"},
    {'f', "lambda6", "E6.fy"},
    {'e', "E_total_minus_mom_beta", "energy.total-0.033*K1.angle"},
    {'a', "beta_dd", "a2"},
    {'a', "Theta_dd", "a5-a2"},
    {'a', "gamma_dd", "a8"},
    {'a', "phi_dd", "a11-a14"},
    {'a', "delta_dd", "a14"},
    {'a', "Omega_dd", "a17-a20"},
    {'a', "epsilon_dd", "a20"},
    {0},
};

static const pair pendulum[] = {
    {'x', "x", "mass.x"},
    {'x', "y", "mass.y"},
    {'x', "psi", "atan2(-mass.x,-mass.y)"},
    {'v', "vx", "mass.vx"},
    {'v', "vy", "mass.vy"},
    {'f', "tension", "-(rod.fx*mass.x+rod.fy*mass.y)"},
    {'e', "energy", "energy.total"},
    {0},
};

static const pair n_four_bar[] = {
    {'x', "theta", "pi/2-crank0.angle"},
    {'x', "theta", "pi/2-crank2.angle"},
    {'x', "B0_x", "crank0.x+0.5*cos(crank0.angle)"},
    {'x', "B0_y", "crank0.y+0.5*sin(crank0.angle)"},
    {'x', "0*theta", "coupler1.angle"},
    {'v', "theta_d", "-crank0.omega"},
    {'v', "B0_vx", "2*crank0.vx"},
    {'v', "B0_vy", "2*crank0.vy"},
    {'e', "energy", "energy.total"},
    {'a', "theta_dd", "-a2"},
    {0},
};

static const pair bricard[] = {
    {'x', "alpha", "P0.angle"},
    {'x', "beta", "P1.angle"},
    {'x', "P1_x", "bar1.x+0.5*" RXX("bar1")},
    {'x', "P1_y", "bar1.y+0.5*" RYX("bar1")},
    {'x', "P1_z", "bar1.z+0.5*" RZX("bar1")},
    {'x', "P2_x", "bar2.x+0.5*" RXX("bar2")},
    {'x', "P2_y", "bar2.y+0.5*" RYX("bar2")},
    {'x', "P2_z", "bar2.z+0.5*" RZX("bar2")},
    {'x', "P3_x", "bar4.x-0.5*" RXX("bar4")},
    {'x', "P3_y", "bar4.y-0.5*" RYX("bar4")},
    {'x', "P3_z", "bar4.z-0.5*" RZX("bar4")},
    {'x', "P4_x", "bar5.x-0.5*" RXX("bar5")},
    {'x', "P4_y", "bar5.y-0.5*" RYX("bar5")},
    {'x', "P4_z", "bar5.z-0.5*" RZX("bar5")},
    {'v', "alpha_d", "P0.angle_rate"},
    {'v', "beta_d", "P1.angle_rate"},
    {'v', "P3_vx", "bar3.vx+0.5*(bar3.wy*" RZX("bar3") "-bar3.wz*" RYX("bar3") ")"},
    {'v', "P3_vy", "bar3.vy+0.5*(bar3.wz*" RXX("bar3") "-bar3.wx*" RZX("bar3") ")"},
    {'v', "P3_vz", "bar3.vz+0.5*(bar3.wx*" RYX("bar3") "-bar3.wy*" RXX("bar3") ")"},
    {'e', "energy", "energy.total"},
    {0},
};

static const pair flyball[] = {
    {'x', "s", "slider.z"},
    {'x', "s", "guide.translation"},
    {'x', "beta", "hinge1.angle"},
    {'x', "beta", "hinge2.angle"},
    {'x', "psi", "bearing.angle"},
    {'x', "spring_length", "spring1.length"},
    {'v', "s_d", "guide.translation_rate"},
    {'v', "beta_d", "hinge1.angle_rate"},
    {'v', "psi_d", "bearing.angle_rate"},
    {'f', "F_spring", "spring1.force"},
    {'f', "F_spring", "spring2.force"},
    {'e', "energy", "energy.total-0.3*9.81/2"},  // without the shaft
    {0},
};

static const pair top[] = {
    {'x', "q0", "top.q0"},       {'x', "q1", "top.q1"},           {'x', "q2", "top.q2"},
    {'x', "q3", "top.q3"},       {'x', "x_x", "top.x"},           {'x', "x_y", "top.y"},
    {'x', "x_z", "top.z"},       {'v', "v_x", "top.vx"},          {'v', "v_y", "top.vy"},
    {'v', "v_z", "top.vz"},      {'v', "Omega_x", WX("top")},     {'v', "Omega_y", WY("top")},
    {'v', "Omega_z", WZ("top")}, {'f', "F_x", "tip.fx"},          {'f', "F_y", "tip.fy"},
    {'f', "F_z", "tip.fz"},      {'e', "energy", "energy.total"}, {'a', "Omegadot_x", "a3"},
    {'a', "Omegadot_y", "a4"},   {'a', "Omegadot_z", "a5"},       {0},
};

static const pair racket[] = {
    {'x', "q0", "racket.q0"},     {'x', "q1", "racket.q1"},     {'x', "q2", "racket.q2"},
    {'x', "q3", "racket.q3"},     {'x', "e2_x", RXY("racket")}, {'x', "e2_y", RYY("racket")},
    {'x', "e2_z", RZY("racket")}, {'v', "w1", WX("racket")},    {'v', "w2", WY("racket")},
    {'v', "w3", WZ("racket")},    {'e', "T", "energy.kinetic"}, {0},
};

static const pair rolling_disk[] = {
    {'x', "centre_x", "disk.x"},
    {'x', "centre_y", "disk.y"},
    {'x', "centre_z", "disk.z"},
    {'x', "lam", "asin(" RZY("disk") ")"},
    {'x', "sin(psi)*cos(lam)", "-" RXY("disk")},
    {'x', "cos(psi)*cos(lam)", RYY("disk")},
    {'v', "v_x", "disk.vx"},
    {'v', "v_y", "disk.vy"},
    {'v', "v_z", "disk.vz"},
    {'v', "omega_x", "disk.wx"},
    {'v', "omega_y", "disk.wy"},
    {'v', "omega_z", "disk.wz"},
    {'f', "contact_Fx", "contact.fx"},
    {'f', "contact_Fy", "contact.fy"},
    {'f', "contact_Fz", "contact.fz"},
    {'e', "energy", "energy.total"},
    {0},
};

#endif
