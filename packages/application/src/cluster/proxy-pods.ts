import { getListAt, getStringAt } from '@kube-rules/types/internal/manifests/manifest-objects'

/** Facts about a Pod. */
export interface PodFacts {
  readonly name: string | undefined
  readonly phase: string | undefined
  /** The names of the containers. */
  readonly containers: readonly string[]
}

/** Reads the facts about a Pod from the output of kubectl. */
export function readPodFacts(pod: unknown): PodFacts {
  return {
    name: getStringAt(pod, 'metadata', 'name'),
    phase: getStringAt(pod, 'status', 'phase'),
    containers: getListAt(pod, 'spec', 'containers').flatMap((container) => getStringAt(container, 'name') ?? []),
  }
}

/** Returns the items of a list in the output of kubectl. */
export function listItems(list: unknown): readonly unknown[] {
  return getListAt(list, 'items')
}

/** Returns the Pod of kube-proxy on a node. */
export function findProxyPod(pods: readonly unknown[], nodeName: string | undefined): unknown {
  return pods.find((pod) => nodeName !== undefined && getStringAt(pod, 'spec', 'nodeName') === nodeName)
}

/** Returns the version in the tag of the image of kube-proxy: `v1.29.4` of `registry.k8s.io/kube-proxy:v1.29.4`. */
export function versionOfPod(pod: unknown): string | undefined {
  const [, version] = /:(v\d{1,3}\.\d{1,3}\.\d{1,3})/.exec(getStringAt(proxyContainer(pod), 'image') ?? '') ?? []
  return version
}

/**
 * Returns the flags of kube-proxy in a Pod, such as `--proxy-mode=ipvs`. The command may be one text for a shell.
 * Ignores `--hostname-override`, which differs between nodes.
 */
export function flagsOfPod(pod: unknown): readonly string[] {
  const container = proxyContainer(pod)
  const words = [...getListAt(container, 'command'), ...getListAt(container, 'args')]
    .flatMap((word) => (typeof word === 'string' ? word.split(/\s+/) : []))
    .filter((word) => word !== '')
  const start = words.findIndex((word) => /(?:^|\/)kube-proxy$/.test(word))
  const flags: string[] = []
  for (const word of words.slice(start + 1)) {
    const last = flags.at(-1)
    if (word.startsWith('--')) flags.push(word)
    else if (last !== undefined && /^[\w./:[]/.test(word) && !/^\d?>/.test(word) && !last.includes('=')) {
      flags[flags.length - 1] = `${last}=${word}`
    }
  }
  return flags.filter((flag) => !flag.startsWith('--hostname-override'))
}

function proxyContainer(pod: unknown): unknown {
  const containers = getListAt(pod, 'spec', 'containers')
  return containers.find((container) => getStringAt(container, 'name') === 'kube-proxy') ?? containers[0]
}
