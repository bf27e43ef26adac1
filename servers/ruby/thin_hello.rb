# The same line of text as node/hello, through Thin: an event loop in Ruby.
# The book uses it beside Node and Tornado, as the talk of 2010 did.
require "socket"
require "thin"

port = Integer(ENV.fetch("PORT", "0"))
port = TCPServer.open("127.0.0.1", 0) { |free| free.addr[1] } if port.zero?

headers = { "content-type" => "text/plain; charset=utf-8", "content-length" => "12" }
app = ->(_environment) { [200, headers.dup, ["hello world\n"]] }

Thin::Logging.silent = true
server = Thin::Server.new("127.0.0.1", port, app, signals: false)
server.maximum_connections = 2048
server.maximum_persistent_connections = 2048

trap("TERM") { exit!(0) }
EventMachine.run do
  server.start
  puts "listening on http://127.0.0.1:#{port}"
  $stdout.flush
end
