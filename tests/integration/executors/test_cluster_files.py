"""The cluster files of the documentation, as Ray itself reads them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

PAGE = Path(__file__).parents[3] / "docs" / "use" / "many_machines.md"

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: monotreme[ray]"),
]


def cluster_files() -> tuple[dict[str, Any], dict[str, Any]]:
    """That for KubeRay and that for a cloud."""
    kubernetes, cloud = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL))
    return kubernetes, cloud


def test_the_cloud_file_agrees_with_rays_schema():
    from ray.autoscaler._private.util import fill_node_type_min_max_workers, fillout_defaults, validate_config

    _, cloud = cluster_files()
    whole = fillout_defaults(cloud)
    fill_node_type_min_max_workers(whole)
    validate_config(whole)
    assert cloud["head_node_type"] in cloud["available_node_types"]


def test_the_kuberay_file_makes_an_autoscaler_of_the_groups_it_names():
    """The autoscaler's side of Ray derives node types from it, and checks them against its schema."""
    from ray.autoscaler._private.kuberay.autoscaling_config import _derive_autoscaling_config_from_ray_cr
    from ray.autoscaler._private.util import validate_config

    kubernetes, _ = cluster_files()
    assert (kubernetes["apiVersion"], kubernetes["kind"]) == ("ray.io/v1", "RayCluster")
    assert kubernetes["spec"]["authOptions"] == {"mode": "token"}
    kubernetes["metadata"]["namespace"] = "default"
    derived = _derive_autoscaling_config_from_ray_cr(kubernetes)
    validate_config(derived)
    types = derived["available_node_types"]
    assert types["headgroup"]["resources"]["CPU"] == 0
    assert (types["fuzzers"]["max_workers"], types["fuzzers"]["resources"]["CPU"]) == (16, 8)
