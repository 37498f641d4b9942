// Programs a node in the place of kube-proxy:
//
//     node dist/proxy.mjs --config /var/lib/kube-proxy/config.conf --hostname-override node-1
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { compile } from '@kube-rules/compiler'
import { cleanUpNode } from './clean-up.js'
import { readSettings, type Settings } from './configuration.js'
import { formatConfigurationFile } from './configuration-file.js'
import { readConnection } from './connection.js'
import { informationFor, SettingsError } from './flags.js'
import { chooseIptablesBackend, withBackend } from './iptables-backend.js'
import { applyConntrackSettings, applyRequirements } from './kernel-settings.js'
import { createLogger, textOf } from './log.js'
import { machineFiles, readMachine } from './machine.js'
import { startProxy } from './proxy.js'
import { createToolRunner, type RunTool, runTool } from './run-tool.js'
import { handleSignals } from './signals.js'
import { startXtablesMonitor } from './watch-rules.js'

async function main(settings: Settings): Promise<void> {
  const log = createLogger((line) => process.stderr.write(line), settings.complete.logging)
  const { configuration, complete, mode, nodeName, action, ignored, writeTo } = settings
  for (const warning of settings.warnings) log.warning('the configuration file is read leniently', { warning })
  if (ignored.length > 0) log.warning('flags have no effect', { flags: ignored.join(' ') })
  if (writeTo !== undefined) return writeFileSync(writeTo, formatConfigurationFile(settings))
  const backend = await chooseIptablesBackend(runTool, machineFiles)
  const withTools = (run: RunTool) => (backend === undefined ? run : withBackend(run, backend))
  if (backend !== undefined) log.info('iptables', { backend })
  if (action === 'initialize') {
    applyConntrackSettings(machineFiles, complete, log)
    return applyRequirements(compile({ services: [], configuration }, { mode, nodeName }), machineFiles, runTool, log)
  }
  if (action === 'cleanUp') {
    const { families } = await readMachine(withTools(runTool), machineFiles, mode)
    process.exitCode = (await cleanUpNode(withTools(runTool), machineFiles, families, log)) ? 0 : 1
    return
  }
  const connect = () => readConnection(settings.kubeconfig, settings.master)
  connect() // A missing file is an error at the start; later it means that the file is being replaced.
  let isStopping = false
  const stop = async (reason: string, exitCode: number) => {
    if (isStopping) return
    isStopping = true
    log.info('stopping', { reason })
    await proxy.stop()
    process.exit(exitCode)
  }
  const proxy = await startProxy({
    ...settings,
    fail: (reason) => void stop(reason, 1),
    connect,
    run: withTools(createToolRunner()),
    ...(backend && { backend }),
    startMonitor: startXtablesMonitor,
    files: machineFiles,
    log,
  })
  handleSignals(
    process,
    (signal) => void stop(signal, 0),
    (exitCode) => process.exit(exitCode),
  )
}

try {
  const args = process.argv.slice(2)
  const information = informationFor(args)
  if (information === undefined) await main(readSettings(args, hostname()))
  else process.stdout.write(information)
} catch (error) {
  // An error in the flags needs no stack trace.
  const stack = error instanceof Error && !(error instanceof SettingsError) ? error.stack : undefined
  process.stderr.write(`${stack ?? textOf(error)}\n`)
  process.exitCode = 1
}
