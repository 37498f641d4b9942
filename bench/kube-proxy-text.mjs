/** Chains of one service port; all other chains are shared. */
const OWN_CHAIN = /^KUBE-(SVC|SVL|EXT|FW|SEP)-/

/**
 * Builds kube-proxy 1.30's input to `iptables-restore --noflush` for a change. It rewrites every shared chain and the
 * chains of the changed service ports, and removes the deleted chains. Both arguments are complete inputs for IPv4.
 */
export function kubeProxyText(before, after) {
  const old = tablesOf(before)
  return [...tablesOf(after)].map(([table, chains]) => tableText(table, chains, old.get(table))).join('')
}

function tableText(table, chains, old) {
  const changed = [...chains.keys()].filter((chain) => isWritten(chain, chains, old))
  const written = [...new Set(changed.flatMap((chain) => [chain, ...createEndpointChains(chain, chains)]))]
  const gone = [...old.keys()].filter((chain) => !chains.has(chain))
  const declared = [...written, ...gone].map((chain) => `:${chain} - [0:0]`)
  const rules = written.flatMap((chain) => chains.get(chain))
  return [`*${table}`, ...declared, ...rules, ...gone.map((chain) => `-X ${chain}`), 'COMMIT\n'].join('\n')
}

function isWritten(chain, chains, old) {
  return !OWN_CHAIN.test(chain) || chains.get(chain).join('\n') !== old.get(chain)?.join('\n')
}

/** Returns all endpoint chains of a service port, because kube-proxy rewrites them after any change. */
function createEndpointChains(chain, chains) {
  const rules = OWN_CHAIN.test(chain) ? chains.get(chain) : []
  return rules.flatMap((rule) => /-j (KUBE-SEP-\S+)/.exec(rule)?.[1] ?? [])
}

/** Maps each table to its chains, and each chain to its lines. */
function tablesOf(text) {
  const tables = new Map()
  let chains = new Map()
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) {
      chains = new Map()
      tables.set(line.slice(1), chains)
    }
    if (line.startsWith(':')) chains.set(line.slice(1).split(' ')[0], [])
    if (line.startsWith('-A ')) chains.get(line.split(' ')[1]).push(line)
  }
  return tables
}
