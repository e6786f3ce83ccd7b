"""Random robots, written as URDF, MJCF and SDFormat: read and run against the equations of oracle.py.

usage: robots.py BUILD FIRST LAST [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...] [OPTION=VALUE ...]     see physics.py

A robot is a tree of links with hinges, slides, balls and welds between frames that lie anywhere, dampers and springs; each
writer says it as its format does (Euler angles, quaternions, poses in the model), and the reference is told it in the world.
"""

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from motion import Motion, Stuck
from physics import G, ROWS, Case, Hard, command_line

METHODS = ["default", "explicit", "baumgarte", "index3-alpha,rtol=1e-5", "default,coordinates=reference", "default,code=native"]
FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER, True)


def words(numbers):
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def euler(turn):
    """Roll, pitch and yaw: about fixed x, y and z, one after the other."""
    return turn.as_euler("xyz")


def body_inertia(r):
    least = r.uniform(0.002, 0.03, 3)  # of masses that exist
    return np.array([least[1] + least[2], least[0] + least[2], least[0] + least[1]])


def robot(r, kinds, springs):
    """Links, each after its parent (None: the ground)."""
    links = []
    for i in range(int(r.integers(2, 6))):
        kind = str(r.choice(kinds)) if i else str(r.choice([k for k in kinds if k != "fixed"]))
        parent = None if i == 0 or r.random() < 0.1 else int(r.integers(0, i))
        if kind == "fixed" and parent is None:
            parent = 0
        axis = r.normal(size=3)
        links.append({
            "name": f"l{i}", "parent": parent, "kind": kind, "origin": r.normal(size=3) * 0.3, "turn": Rotation.random(random_state=int(r.integers(1 << 30))),
            "axis": axis / np.linalg.norm(axis), "damping": r.choice([0, r.uniform(0.01, 0.5)]),
            "stiffness": r.choice([0, r.uniform(1, 30)]) if springs else 0, "rest": r.uniform(-0.5, 0.5), "mass": r.uniform(0.2, 3),
            "com": r.normal(size=3) * 0.2, "inertia": body_inertia(r), "principal": Rotation.random(random_state=int(r.integers(1 << 30)))})
    for link in links:
        above = link["parent"]
        link["place"], link["world"] = link["origin"], link["turn"]
        if above is not None:
            link["place"] = links[above]["place"] + links[above]["world"].apply(link["origin"])
            link["world"] = links[above]["world"] * link["turn"]
    return links


def told(links):
    """The robot as a model file says it, in the world: what the reference is made of."""
    model = {"gravity": [0, 0, -G], "bodies": {}, "joints": {}, "forces": {}}
    for link in links:
        q = link["world"].as_quat()
        about = link["principal"].as_matrix()
        model["bodies"][link["name"]] = {
            "mass": link["mass"], "com": link["com"].tolist(), "inertia": (about @ np.diag(link["inertia"]) @ about.T).tolist(),
            "position": link["place"].tolist(), "orientation": {"quaternion": [q[3], *q[:3]]}}
        parent = "ground" if link["parent"] is None else links[link["parent"]]["name"]
        joint = {"type": {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "fixed": "fixed"}[link["kind"]], "a": parent,
                 "b": link["name"], "at": link["place"].tolist(), "axis": link["world"].apply(link["axis"]).tolist()}
        name = "j_" + link["name"]
        model["joints"][name] = joint
        if link["kind"] in ("hinge", "slide") and (link["damping"] or link["stiffness"]):
            kind = {"hinge": "torsion-spring", "slide": "spring"}[link["kind"]]
            model["forces"]["f_" + link["name"]] = {"type": kind, "joint": name, "stiffness": link["stiffness"],
                                                   "damping": link["damping"], "free": link["rest"]}
    return model


def case_of(r, links, text, ending):
    path = FOLDER / f"{r.integers(1 << 40)}.{ending}"
    path.write_text(text)
    times = np.linspace(0, 0.6, ROWS)
    oracle = Motion(told(links))
    poses = [(link["place"], link["world"].as_matrix()) for link in links]
    try:
        found = oracle.follow(poses, np.zeros(6 * len(links)), times, 400)
    except (Stuck, np.linalg.LinAlgError) as stuck:
        raise Hard(str(stuck))
    columns = {}
    for i, link in enumerate(links):
        if link["kind"] == "fixed":
            continue
        rows = np.array([[*poses[i][0], *velocity[6 * i:6 * i + 6]] for poses, velocity in found])
        for k, name in enumerate(("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")):
            columns[f"{link['name']}.{name}"] = rows[:, k]
    return Case(str(path), times, columns, apart=1e-8)


def urdf(r):
    """Joints stand where the parent says; Euler angles everywhere."""
    links = robot(r, ["hinge", "hinge", "slide", "fixed"], False)
    text = ['<robot name="r"><link name="base"/>']
    for link in links:
        about = link["inertia"]
        turned = Rotation.random(random_state=int(r.integers(1 << 30)))  # the frame that the matrix is told in
        matrix = (turned.inv() * link["principal"]).as_matrix()
        matrix = matrix @ np.diag(about) @ matrix.T
        parts = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{float(matrix[i, j])!r}"' for i in range(3) for j in range(i, 3))
        text.append(f'<link name="{link["name"]}"><inertial><origin xyz="{words(link["com"])}" rpy="{words(euler(turned))}"/>'
                    f'<mass value="{float(link["mass"])!r}"/><inertia {parts}/></inertial></link>')
        kind = {"hinge": "continuous", "slide": "prismatic", "fixed": "fixed"}[link["kind"]]
        parent = "base" if link["parent"] is None else links[link["parent"]]["name"]
        limit = '<limit lower="-1e3" upper="1e3" effort="1" velocity="1"/>' if kind == "prismatic" else ""
        text.append(f'<joint name="j_{link["name"]}" type="{kind}"><parent link="{parent}"/><child link="{link["name"]}"/>'
                    f'<origin xyz="{words(link["origin"])}" rpy="{words(euler(link["turn"]))}"/><axis xyz="{words(link["axis"] * r.uniform(0.5, 2))}"/>'
                    f'<dynamics damping="{float(link["damping"])!r}"/>{limit}</joint>')
    return case_of(r, links, "\n".join(text + ["</robot>"]), "urdf")


def mjcf(r):
    """Bodies in bodies, by quaternions; joints away from the frames of their bodies would move the places: they stand in them."""
    links = robot(r, ["hinge", "hinge", "slide", "ball", "fixed"], True)
    for link in links:
        if link["kind"] == "ball":
            link["damping"] = link["stiffness"] = 0

    def quaternion(turn):
        q = turn.as_quat() * r.choice([-1, 1])
        return words([q[3], *q[:3]])

    def body(i):
        link = links[i]
        joint = ""
        if link["kind"] != "fixed":
            axis = "" if link["kind"] == "ball" else f'axis="{words(link["axis"])}" '
            law = f'damping="{float(link["damping"])!r}" stiffness="{float(link["stiffness"])!r}" springref="{float(link["rest"])!r}"'
            joint = f'<joint name="j_{link["name"]}" type="{link["kind"]}" {axis}{law if axis else ""}/>'
        inner = "".join(body(k) for k, other in enumerate(links) if other["parent"] == i)
        return (f'<body name="{link["name"]}" pos="{words(link["origin"])}" quat="{quaternion(link["turn"])}">'
                f'<inertial pos="{words(link["com"])}" quat="{quaternion(link["principal"])}" mass="{float(link["mass"])!r}" '
                f'diaginertia="{words(link["inertia"])}"/>{joint}{inner}</body>')

    bodies = "".join(body(i) for i, link in enumerate(links) if link["parent"] is None)
    text = f'<mujoco><compiler angle="radian"/><option gravity="0 0 {-G}"/><worldbody>{bodies}</worldbody></mujoco>'
    return case_of(r, links, text, "xml")


def sdf(r):
    """Links placed in the model, joints in their children."""
    links = robot(r, ["hinge", "hinge", "slide", "ball", "fixed"], True)
    text = [f'<sdf version="1.7"><world name="w"><gravity>0 0 {-G}</gravity><model name="r">']
    for link in links:
        if link["kind"] == "ball":
            link["damping"] = link["stiffness"] = 0
        turned = Rotation.random(random_state=int(r.integers(1 << 30)))
        matrix = (turned.inv() * link["principal"]).as_matrix()
        matrix = matrix @ np.diag(link["inertia"]) @ matrix.T
        parts = "".join(f'<i{"xyz"[i]}{"xyz"[j]}>{float(matrix[i, j])!r}</i{"xyz"[i]}{"xyz"[j]}>' for i in range(3) for j in range(i, 3))
        text.append(f'<link name="{link["name"]}"><pose>{words(link["place"])} {words(euler(link["world"]))}</pose><inertial>'
                    f'<pose>{words(link["com"])} {words(euler(turned))}</pose><mass>{float(link["mass"])!r}</mass><inertia>{parts}</inertia>'
                    f'</inertial></link>')
        parent = "world" if link["parent"] is None else links[link["parent"]]["name"]
        kind = {"hinge": "revolute", "slide": "prismatic"}.get(link["kind"], link["kind"])
        axis = ""
        if link["kind"] in ("hinge", "slide"):
            axis = (f'<axis><xyz>{words(link["axis"])}</xyz><dynamics><damping>{float(link["damping"])!r}</damping>'
                    f'<spring_stiffness>{float(link["stiffness"])!r}</spring_stiffness><spring_reference>{float(link["rest"])!r}</spring_reference>'
                    f'</dynamics></axis>')
        text.append(f'<joint name="j_{link["name"]}" type="{kind}"><parent>{parent}</parent><child>{link["name"]}</child>{axis}</joint>')
    return case_of(r, links, "\n".join(text + ["</model></world></sdf>"]), "sdf")


FAMILIES = [urdf, mjcf, sdf]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
