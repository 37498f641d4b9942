import type { Command } from './command.js'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Find packets to Services that do not arrive, on all nodes.',
  usage: 'doctor (-f FILE|DIR|- | --cluster | --live) [SERVICE] [options]',
  description:
    'Traces packets from a pod, from the node and from outside to every service port on every node,\n' +
    'and prints the causes why packets do not arrive, worst first, with steps to fix them. Checks the\n' +
    'rules that kube-proxy would program, or with --live or --dump the rules of the nodes. SERVICE\n' +
    'restricts the check to one Service: default/web, or web -n default.',
  options: async () => (await import('./doctor/doctor-options.js')).doctorOptions,
  examples: [
    'kube-rules doctor --live',
    'kube-rules doctor --live --node node-1 default/web',
    'kube-rules doctor --cluster -n shop',
    'kube-rules doctor -f cluster.json --dump dumps/ -o json',
  ],
  exitCodes: [
    ['0', 'All packets arrive as the objects specify.'],
    ['1', 'Packets do not arrive.'],
    ['2', 'Invalid usage or input, an unread subdirectory, or an unknown outcome or node.'],
  ],
  run: async (context) => (await import('./doctor/run-doctor.js')).runDoctor(context),
}
