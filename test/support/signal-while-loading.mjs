// Preloaded (`node --import`): sends this process SIGTERM as soon as anything listens to it.
process.once('newListener', function listen(name) {
  if (name === 'SIGTERM') process.kill(process.pid, 'SIGTERM');
  else process.once('newListener', listen);
});
