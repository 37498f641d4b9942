import type { Command } from './command.js'

export const explainCommand: Command = {
  name: 'explain',
  summary: 'Print where a packet goes, and why.',
  usage: 'explain -f FILE|DIR|- | --dump FILE [DESTINATION] [options]',
  description:
    'Follows the first packet of a connection through the rules for the objects of -f, or through\n' +
    'those of a live node that --dump names. With both, it follows the live rules and says where\n' +
    'the objects ask for something else, and ends with 1 there. DESTINATION is an address and port\n' +
    'such as 10.96.0.10:53/udp or [fd00::1]:443, without a protocol tcp; node:30080 is a port of the\n' +
    'node; default/web, default/web:http, web.default:80 and svc/web -n default are a Service.',
  options: async () => (await import('./explain/explain-options.js')).explainOptions,
  examples: [
    'kube-rules explain -f cluster.yaml 10.96.0.10:53/udp --from pod',
    'kube-rules explain -f cluster.yaml default/web:http',
    'kube-rules explain -f cluster.yaml node:30080 --from outside',
    'iptables-save | kube-rules explain --dump - 192.168.0.41:30080 --node-address 192.168.0.41',
    'kube-rules explain -f cluster.yaml --all',
  ],
  exitCodes: [
    ['0', 'The packets were followed.'],
    ['1', 'The rules handle a packet differently than the objects ask.'],
  ],
  run: async (context) => (await import('./explain/run-explain.js')).runExplain(context),
}
