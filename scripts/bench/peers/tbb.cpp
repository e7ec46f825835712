// tbb SHAPE N REPETITIONS: the shapes of OpScriptBench with oneTBB, bodies and checks alike.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_group.h>

using oneapi::tbb::flow::continue_msg;
using oneapi::tbb::flow::continue_node;
using oneapi::tbb::flow::graph;

namespace {

std::atomic<long> bodyCount{0};
std::atomic<long> strayCount{0};

void add() { bodyCount.fetch_add(1, std::memory_order_relaxed); }

void addAfter(long others) {
    if (bodyCount.load(std::memory_order_relaxed) != others) strayCount.fetch_add(1, std::memory_order_relaxed);
    add();
}

void independent(long n) {
    oneapi::tbb::task_group group;
    for (long i = 0; i < n; i++) group.run([] { add(); });
    group.wait();
}

void captured(long n) {
    oneapi::tbb::task_group group;
    for (long i = 0; i < n; i++) group.run([i] { if (i >= 0) add(); });
    group.wait();
}

using Node = continue_node<continue_msg>;

void chain(long n) {
    graph g;
    std::vector<std::unique_ptr<Node>> nodes;
    nodes.reserve(n);
    for (long i = 0; i < n; i++) {
        nodes.push_back(std::make_unique<Node>(g, [i](const continue_msg &) { addAfter(i); return continue_msg(); }));
        if (i > 0) make_edge(*nodes[i - 1], *nodes[i]);
    }
    nodes[0]->try_put(continue_msg());
    g.wait_for_all();
}

void fan(long n) {
    graph g;
    std::vector<std::unique_ptr<Node>> nodes;
    nodes.reserve(n);
    Node source(g, [](const continue_msg &) { addAfter(0); return continue_msg(); });
    Node sink(g, [n](const continue_msg &) { addAfter(n - 1); return continue_msg(); });
    for (long i = 0; i < n - 2; i++) {
        nodes.push_back(std::make_unique<Node>(g, [](const continue_msg &) { add(); return continue_msg(); }));
        make_edge(source, *nodes[i]);
        make_edge(*nodes[i], sink);
    }
    source.try_put(continue_msg());
    g.wait_for_all();
}

long measure(void (*shape)(long), long n) {
    bodyCount = 0;
    strayCount = 0;
    auto start = std::chrono::steady_clock::now();
    shape(n);
    auto end = std::chrono::steady_clock::now();
    if (bodyCount != n || strayCount != 0) {
        std::fprintf(stderr, "tbb: %ld bodies ran, %ld out of turn\n", bodyCount.load(), strayCount.load());
        std::exit(1);
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: tbb independent|captured|chain|fan N REPETITIONS\n");
        return 1;
    }
    std::string name = argv[1];
    void (*shape)(long) = name == "independent" ? independent : name == "captured" ? captured : name == "chain" ? chain
        : name == "fan" ? fan : nullptr;
    long n = std::atol(argv[2]);
    if (shape == nullptr || n < 3) {
        std::fprintf(stderr, "tbb: no shape '%s' of %ld operations\n", argv[1], n);
        return 1;
    }
    measure(shape, n < 10000 ? n : 10000);
    for (int i = std::atoi(argv[3]); i > 0; i--) std::printf("%s %ld %ld\n", argv[1], n, measure(shape, n));
    return 0;
}
