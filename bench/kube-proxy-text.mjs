/** Chains of one service port; all others are shared. */
const OWN_CHAIN = /^KUBE-(SVC|SVL|EXT|FW|SEP)-/

/**
 * What kube-proxy 1.30 feeds to `iptables-restore --noflush` for a change: every shared chain anew, the chains of the
 * service ports that changed, and the removal of chains that are gone. Both texts are full ones for IPv4.
 */
export function kubeProxyText(before, after) {
  const old = tablesOf(before)
  return [...tablesOf(after)].map(([table, chains]) => tableText(table, chains, old.get(table))).join('')
}

function tableText(table, chains, old) {
  const changed = [...chains.keys()].filter((chain) => isWritten(chain, chains, old))
  const written = [...new Set(changed.flatMap((chain) => [chain, ...endpointChains(chain, chains)]))]
  const gone = [...old.keys()].filter((chain) => !chains.has(chain))
  const declared = [...written, ...gone].map((chain) => `:${chain} - [0:0]`)
  const rules = written.flatMap((chain) => chains.get(chain))
  return [`*${table}`, ...declared, ...rules, ...gone.map((chain) => `-X ${chain}`), 'COMMIT\n'].join('\n')
}

function isWritten(chain, chains, old) {
  return !OWN_CHAIN.test(chain) || chains.get(chain).join('\n') !== old.get(chain)?.join('\n')
}

/** kube-proxy writes all endpoints of a service port that changed. */
function endpointChains(chain, chains) {
  const rules = OWN_CHAIN.test(chain) ? chains.get(chain) : []
  return rules.flatMap((rule) => /-j (KUBE-SEP-\S+)/.exec(rule)?.[1] ?? [])
}

/** Table → chain → its lines. */
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
