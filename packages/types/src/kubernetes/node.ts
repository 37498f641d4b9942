import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** A core/v1 Node. Its name, zone label, pod CIDRs, addresses and version affect rules. */
export interface Node extends TypeMeta {
  /** Names, labels and annotations. */
  readonly metadata?: Optional<ObjectMeta>
  /** The pod networks. */
  readonly spec?: Optional<NodeSpec>
  /** The addresses and versions. */
  readonly status?: Optional<NodeStatus>
}

/** The specification of a Node. */
export interface NodeSpec {
  /** The network of the pods on the node. */
  readonly podCIDR?: Optional<string>
  /** The networks of the pods on the node, at most one for each family. */
  readonly podCIDRs?: Optional<readonly string[]>
  /** The identity of the machine at the cloud provider. It does not affect rules. */
  readonly providerID?: Optional<string>
  /** Whether new pods are kept away from the node. It does not affect rules. */
  readonly unschedulable?: Optional<boolean>
  /** The taints of the node. They do not affect rules. */
  readonly taints?: Optional<readonly NodeTaint[]>
}

/** The status of a Node. */
export interface NodeStatus {
  /** The addresses. */
  readonly addresses?: Optional<readonly NodeAddress[]>
  /** The versions that the node reports. */
  readonly nodeInfo?: Optional<NodeInfo>
}

/** The versions that a Node reports. */
export interface NodeInfo {
  /** The version of kube-proxy, such as `v1.34.0`; empty or absent in newer versions of Kubernetes. */
  readonly kubeProxyVersion?: Optional<string>
  /** The version of the kubelet, such as `v1.34.0`. It is used if that of kube-proxy is absent. */
  readonly kubeletVersion?: Optional<string>
  /** The version of the Linux kernel. It does not affect rules. */
  readonly kernelVersion?: Optional<string>
  /** The name and version of the operating system. It does not affect rules. */
  readonly osImage?: Optional<string>
  /** The operating system, such as `linux`. It does not affect rules. */
  readonly operatingSystem?: Optional<string>
  /** The architecture of the processor, such as `amd64`. It does not affect rules. */
  readonly architecture?: Optional<string>
  /** The name and version of the container runtime. It does not affect rules. */
  readonly containerRuntimeVersion?: Optional<string>
  /** The identity of the machine. It does not affect rules. */
  readonly machineID?: Optional<string>
  /** The identity of the machine in its firmware. It does not affect rules. */
  readonly systemUUID?: Optional<string>
  /** The identity of the running system. It does not affect rules. */
  readonly bootID?: Optional<string>
}

/** A taint of a Node. */
export interface NodeTaint {
  /** The key. */
  readonly key: string
  /** The value. */
  readonly value?: Optional<string>
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  readonly effect: string
}

/** An address of a Node. */
export interface NodeAddress {
  /** The type, such as `InternalIP`. */
  readonly type: string
  /** The address or name. */
  readonly address: string
}
