import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = ['fixtures/matrix', 'fixtures']

/** The oldest versions of a mode whose rules are covered by recorded cases. */
const OLDEST = { iptables: '1.14', ipvs: '1.14', nftables: '1.29', userspace: '1.14' }

/**
 * Returns the compile inputs: each cluster in fixtures/matrix and fixtures/, in every mode and version. `sources` has
 * the functions of the repository that read clusters and versions.
 */
export function readCorpus(root, sources) {
  return clustersIn(root).flatMap(({ name, text }) => {
    const input = sources.parseManifests(sources.loadAll(text))
    return sources.PROXY_MODES.flatMap((mode) =>
      sources
        .versionsOf(mode)
        .filter((version) => sources.isVersionAtLeast(version, OLDEST[mode]))
        .map((version) => ({ name, mode, version, ...argumentsOf(input, mode, version, sources) })),
    )
  })
}

function clustersIn(root) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => ({ name, path: join(root, folder, name, 'cluster.yaml') }))
      .filter(({ path }) => existsSync(path))
      .map(({ name, path }) => ({ name, text: readFileSync(path, 'utf8') })),
  )
}

function argumentsOf(input, mode, version, { isVersionAtLeast }) {
  // Mode nftables is alpha in 1.29 and 1.30.
  const featureGates = mode === 'nftables' && !isVersionAtLeast(version, '1.31') ? { NFTablesProxyMode: true } : {}
  const configuration = { ...input.configuration, featureGates }
  return {
    input: { ...input, configuration },
    options: { nodeName: 'node-1', mode, kubernetesVersion: version },
  }
}
