// Starts the proxy with its usual flags, and with a period in milliseconds between two complete reads of the node. It
// detects a half-open watch after seconds instead of minutes.
import { hostname } from 'node:os'
import { readSettings } from '../src/configuration.js'
import { connectTo } from '../src/connection.js'
import { createLogger } from '../src/log.js'
import { machineFiles } from '../src/machine.js'
import { startProxy } from '../src/proxy.js'
import { createToolRunner } from '../src/run-tool.js'
import { startXtablesMonitor } from '../src/watch-rules.js'

const [fullSyncPeriod, ...flags] = process.argv.slice(2)
const settings = readSettings(flags, hostname())
const kubeConfig = connectTo(`${settings.master}`)
const proxy = await startProxy({
  ...settings,
  fullSyncPeriod: Number(fullSyncPeriod),
  complete: { ...settings.complete, oomScoreAdj: 0 },
  connect: () => kubeConfig,
  run: createToolRunner(),
  startMonitor: startXtablesMonitor,
  files: machineFiles,
  fail: (reason) => process.exit(console.error(reason) ?? 1),
  log: createLogger((line) => process.stderr.write(line), settings.complete.logging),
  reflectTimes: { pause: 100, longest: 2_000, stale: 3_000, watch: 20_000 },
})
process.once('SIGTERM', () => void proxy.stop().then(() => process.exit(0)))
