// Joins the embedded Redis of a home in a process of its own, says `joined`, and leaves when its standard input ends.
import { joinEmbeddedRedis } from '../../dist/engine/redis/embedded.js';

const server = await joinEmbeddedRedis(process.argv[2]);
process.stdout.write('joined\n');
process.stdin.on('end', async () => {
  await server.close();
  process.exit(0);
});
process.stdin.resume();
