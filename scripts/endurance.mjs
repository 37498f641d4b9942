// Endurance test: applies random events and failures to a node in private network namespaces, and sends traffic during
// updates. Needs the tools that `pnpm test:kernel` needs.
//
//   node scripts/endurance.mjs [--mode iptables-nft|iptables-legacy|nftables|ipvs-sets|ipvs] [--events 10000]
//     [--events-per-sync 3] [--seed 1]
//   node scripts/endurance.mjs --traffic [--mode iptables-nft|iptables-legacy|nftables|ipvs] [--updates 1000] [--full-syncs 50]
//
// ipvs-sets is ipvs mode without virtual servers. Without --mode all of them run, except ipvs, which needs a virtual
// machine and takes long. Exit code 1 if a node deviated after a sync that reported success, a command failed
// unexpectedly, or a request was lost.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    mode: { type: 'string' },
    events: { type: 'string', default: '10000' },
    'events-per-sync': { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    traffic: { type: 'boolean', default: false },
    updates: { type: 'string', default: '1000' },
    'full-syncs': { type: 'string', default: '50' },
  },
})
const { mode, events, 'events-per-sync': eventsPerSync, seed, traffic, updates, 'full-syncs': fullSyncs } = values
const requested = { ...(mode && { mode }), ...(traffic ? { updates, fullSyncs } : { events, eventsPerSync, seed }) }
const needsMachine = mode === 'ipvs'
const file = `test/kernel/${needsMachine ? 'vm' : 'recovery'}/${traffic ? 'traffic' : 'endurance'}`
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--project', 'real-kernel', '--disableConsoleIntercept=true', file],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...process.env,
      KUBE_RULES_ENDURANCE: Object.entries(requested)
        .map((each) => each.join('='))
        .join(' '),
      KUBE_RULES_E2E_REQUIRE: `iptables-nft,iptables-legacy,nft,network${needsMachine ? ',virtual-machine' : ''}`,
      ...(needsMachine && { KUBE_RULES_VM: '1' }),
    },
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
