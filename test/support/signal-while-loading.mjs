// Preloaded (`node --import`): sends this process SIGTERM as soon as anything listens to it, or as a second or later one does.
let left = Number(process.env.SIGNAL_AT_LISTENER ?? 1);
process.once('newListener', function listen(name) {
  if (name === 'SIGTERM') left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGTERM');
  else process.once('newListener', listen);
});
